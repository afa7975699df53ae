// Places on a flat map (Web Mercator). The world is a square with sides of 1, north and west at 0.

export interface Place {
  readonly x: number;
  readonly y: number;
}

/** What a map shows: its middle, and how large the world is; each step doubles it. */
export interface Look extends Place {
  readonly zoom: number;
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** Pixels of the world's side at zoom 0. */
const TILE = 256;
/** Beyond these the square ends. */
const LATITUDE_MAX = 85.051_128_779_806_6;
const ZOOM_MAX = 15;
/** For one place, or places that are close together. */
const FIT_ZOOM_MAX = 9;
/** Room at the edges for the markers. */
const FIT_MARGIN = 56;
const EARTH_METRES = 40_075_017;

export const worldPixels = (zoom: number): number => TILE * 2 ** zoom;

export function placeOf(latitude: number, longitude: number): Place {
  const bounded = Math.max(-LATITUDE_MAX, Math.min(LATITUDE_MAX, latitude));
  const sine = Math.sin((bounded * Math.PI) / 180);
  return { x: (longitude + 180) / 360, y: 0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI) };
}

export function degreesOf({ x, y }: Place): { readonly latitude: number; readonly longitude: number } {
  return { latitude: (Math.atan(Math.sinh(Math.PI * (1 - 2 * y))) * 180) / Math.PI, longitude: x * 360 - 180 };
}

/** The world is at least as large as the smaller side, and its middle stays on the map. */
export function bounded({ x, y, zoom }: Look, { width, height }: Size): Look {
  const least = Math.log2(Math.max(64, Math.min(width, height)) / TILE);
  const within = (value: number) => Math.max(0, Math.min(1, value));
  return { x: within(x), y: within(y), zoom: Math.max(least, Math.min(ZOOM_MAX, zoom)) };
}

/** All places in sight; the whole world without any. */
export function fitted(places: readonly Place[], size: Size): Look {
  if (places.length === 0) return bounded({ x: 0.5, y: 0.4, zoom: 0 }, size);
  let [left, right, top, bottom] = [1, 0, 1, 0];
  for (const { x, y } of places) {
    [left, right] = [Math.min(left, x), Math.max(right, x)];
    [top, bottom] = [Math.min(top, y), Math.max(bottom, y)];
  }
  const room = (pixels: number) => Math.max(64, pixels - 2 * FIT_MARGIN);
  const scale = Math.min(
    room(size.width) / Math.max(right - left, 1e-9),
    room(size.height) / Math.max(bottom - top, 1e-9),
  );
  const zoom = Math.min(FIT_ZOOM_MAX, Math.log2(scale / TILE));
  return bounded({ x: (left + right) / 2, y: (top + bottom) / 2, zoom }, size);
}

/** Zooms so that the place under a point of the map stays there. `at`: pixels from the middle. */
export function zoomed(look: Look, step: number, at: Place, size: Size): Look {
  const next = bounded({ ...look, zoom: look.zoom + step }, size);
  const shift = 1 / worldPixels(look.zoom) - 1 / worldPixels(next.zoom);
  return bounded({ ...next, x: look.x + at.x * shift, y: look.y + at.y * shift }, size);
}

export const panned = (look: Look, by: Place, size: Size): Look =>
  bounded({ ...look, x: look.x - by.x / worldPixels(look.zoom), y: look.y - by.y / worldPixels(look.zoom) }, size);

/** From the address: `latitude,longitude,zoom`. */
export function readLook(text: string | undefined): Look | undefined {
  const numbers = (text ?? '').split(',').map(Number);
  const [latitude, longitude, zoom] = numbers;
  if (numbers.length !== 3 || !numbers.every(Number.isFinite)) return undefined;
  return { ...placeOf(latitude ?? 0, longitude ?? 0), zoom: zoom ?? 0 };
}

export function writeLook(look: Look): string {
  const { latitude, longitude } = degreesOf(look);
  return `${latitude.toFixed(4)},${longitude.toFixed(4)},${look.zoom.toFixed(1)}`;
}

/** A round length in metres that is at most so many pixels long in the middle of the map. */
export function scaleBar(look: Look, pixelsMax: number): { readonly metres: number; readonly pixels: number } {
  const { latitude } = degreesOf(look);
  const metresPerPixel = (EARTH_METRES * Math.cos((latitude * Math.PI) / 180)) / worldPixels(look.zoom);
  const longest = metresPerPixel * pixelsMax;
  const power = 10 ** Math.floor(Math.log10(longest));
  const metres = power * ([5, 2, 1].find((factor) => factor * power <= longest) ?? 1);
  return { metres, pixels: metres / metresPerPixel };
}
