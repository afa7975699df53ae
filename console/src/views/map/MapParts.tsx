// What every map has: the world behind its places, and buttons to zoom.

import type { ReactNode } from 'react';
import { Button } from 'react-aria-components';
import { useTranslations } from 'use-intl';
import { MIDDLE } from './map-look.ts';
import { type Look, type Size, worldPixels, zoomed } from './mercator.ts';
import { type Outlines, WORLD } from './outlines.ts';

interface SeenMap {
  readonly look: Look;
  readonly size: Size;
}

export function World({ look, size, outlines }: SeenMap & { readonly outlines: Outlines | undefined }) {
  const world = worldPixels(look.zoom);
  const left = size.width / 2 - look.x * world;
  const top = size.height / 2 - look.y * world;
  return (
    <svg className="map-world" width={size.width} height={size.height} aria-hidden="true">
      <g transform={`translate(${left} ${top}) scale(${world / WORLD})`}>
        <rect className="map-sea" width={WORLD} height={WORLD} />
        <path className="map-land" d={outlines?.land} />
        <path className="map-borders" d={outlines?.borders} />
      </g>
    </svg>
  );
}

interface MapButtonsProps extends SeenMap {
  readonly onLook: (look: Look) => void;
  /** Further buttons. */
  readonly children?: ReactNode;
}

export function MapButtons({ look, size, onLook, children }: MapButtonsProps) {
  const t = useTranslations('location');
  return (
    <div className="map-buttons">
      <Button className="button icon" aria-label={t('zoomIn')} onPress={() => onLook(zoomed(look, 1, MIDDLE, size))}>
        +
      </Button>
      <Button className="button icon" aria-label={t('zoomOut')} onPress={() => onLook(zoomed(look, -1, MIDDLE, size))}>
        −
      </Button>
      {children}
    </div>
  );
}
