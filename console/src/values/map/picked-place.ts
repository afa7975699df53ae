// From a point of the map to a location and back.

import { degreesOf, type Look, type Place, placeOf, type Size, worldPixels } from '../../views/map/mercator.ts';

export interface Degrees {
  readonly latitude: number;
  readonly longitude: number;
}

/** About ten centimetres: more digits would only pretend. */
const DIGITS = 6;
const rounded = (number: number): number => Number(number.toFixed(DIGITS));

/** The location under a point of the map, in pixels from its upper left corner. */
export function degreesAt({ x, y }: Place, look: Look, { width, height }: Size): Degrees {
  const world = worldPixels(look.zoom);
  const within = (value: number) => Math.max(0, Math.min(1, value));
  const { latitude, longitude } = degreesOf({
    x: within(look.x + (x - width / 2) / world),
    y: within(look.y + (y - height / 2) / world),
  });
  return { latitude: rounded(latitude), longitude: rounded(longitude) };
}

/** Where a location is on the map, in pixels from its upper left corner. */
export function pixelsOf({ latitude, longitude }: Degrees, look: Look, { width, height }: Size): Place {
  const world = worldPixels(look.zoom);
  const { x, y } = placeOf(latitude, longitude);
  return { x: width / 2 + (x - look.x) * world, y: height / 2 + (y - look.y) * world };
}

export const isInSight = ({ x, y }: Place, { width, height }: Size): boolean =>
  x >= 0 && y >= 0 && x <= width && y <= height;

/** Pixels that an arrow key moves the point by. */
const KEY_PIXELS = 10;
const STEPS: Readonly<Record<string, Place>> = {
  ArrowLeft: { x: -KEY_PIXELS, y: 0 },
  ArrowRight: { x: KEY_PIXELS, y: 0 },
  ArrowUp: { x: 0, y: -KEY_PIXELS },
  ArrowDown: { x: 0, y: KEY_PIXELS },
};

/** Where a key moves a point; with Shift by a pixel. Undefined for other keys. */
export function steppedBy({ key, shiftKey }: { readonly key: string; readonly shiftKey: boolean }, from: Place) {
  const step = STEPS[key];
  if (step === undefined) return undefined;
  const scale = shiftKey ? 1 / KEY_PIXELS : 1;
  return { x: from.x + step.x * scale, y: from.y + step.y * scale };
}
