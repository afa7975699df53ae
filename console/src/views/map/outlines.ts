// The outlines of the countries, coarse for the whole world and finer for a part of it. Each is loaded when it is needed.

import { useQuery } from '@tanstack/react-query';
import { geoMercator, geoPath } from 'd3-geo';
import { feature, mesh } from 'topojson-client';
import type { GeometryCollection, Topology } from 'topojson-specification';

/** The side of the world in the units of the paths. */
export const WORLD = 1_000;
/** From here on the coarse outlines look it. */
const FINE_ZOOM = 4;

type Countries = Topology<{ countries: GeometryCollection; land: GeometryCollection }>;

const LOADS = {
  coarse: () => import('world-atlas/countries-110m.json'),
  fine: () => import('world-atlas/countries-50m.json'),
} as const;

export interface Outlines {
  readonly land: string;
  readonly borders: string;
}

async function load(detail: keyof typeof LOADS): Promise<Outlines> {
  const topology = (await LOADS[detail]()).default as unknown as Countries;
  const path = geoPath(
    geoMercator()
      .scale(WORLD / (2 * Math.PI))
      .translate([WORLD / 2, WORLD / 2]),
  );
  const borders = mesh(topology, topology.objects.countries, (a, b) => a !== b);
  return { land: path(feature(topology, topology.objects.land)) ?? '', borders: path(borders) ?? '' };
}

const outlinesQuery = (detail: keyof typeof LOADS) => ({
  queryKey: ['outlines', detail],
  queryFn: () => load(detail),
  staleTime: Number.POSITIVE_INFINITY,
});

/** The coarse ones while the finer are on their way. */
export function useOutlines(zoom: number): { readonly outlines: Outlines | undefined; readonly failed: boolean } {
  const coarse = useQuery(outlinesQuery('coarse'));
  const fine = useQuery({ ...outlinesQuery('fine'), enabled: zoom >= FINE_ZOOM });
  return {
    outlines: (zoom >= FINE_ZOOM ? fine.data : undefined) ?? coarse.data,
    failed: coarse.isError,
  };
}
