// Asks for the parts of a chart: which values the second column has, then the figures of the largest.

import { useQueries, useQuery } from '@tanstack/react-query';
import { figuresQuery } from '../../api/figures.ts';
import { both, groupCondition } from '../search-terms.ts';
import { type Layer, layerGroups, layersOf } from './layers.ts';
import type { Point } from './series.ts';

interface Split {
  readonly application: string;
  readonly collection: string;
  readonly search: string;
  /** Undefined where the chart is not split. */
  readonly split: string | undefined;
  readonly groupBy: string;
  readonly measure: string;
  readonly points: readonly Point[];
}

/** Undefined until all parts are there: a bar that lacks some would be taken for a smaller one. */
export function useLayers(given: Split): { readonly layers: readonly Layer[] | undefined; readonly error: unknown } {
  const { application, collection, search, split, groupBy, measure, points } = given;
  const values = useQuery({
    ...figuresQuery(application, collection, { search, groupBy: split ?? '', measure: 'count' }),
    enabled: split !== undefined,
  });
  const groups = split === undefined || values.data === undefined ? [] : layerGroups(values.data);
  const parts = useQueries({
    queries: groups.map((group) =>
      figuresQuery(application, collection, {
        search: both(search, groupCondition(split ?? '', group)),
        groupBy,
        measure,
      }),
    ),
  });
  const error = values.error ?? parts.find((part) => part.error !== null)?.error;
  if (groups.length === 0 || parts.some(({ data }) => data === undefined)) return { layers: undefined, error };
  const layers = layersOf(points, {
    groups,
    figures: parts.map(({ data }) => data?.groups ?? []),
    hasOthers: (values.data?.groups.length ?? 0) > groups.length,
    isCount: measure === 'count',
  });
  return { layers, error };
}
