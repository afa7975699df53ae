// Text, numbers and places as the search language compares them.

const normalised = new Map<string, string>();
const patterns = new Map<string, RegExp>();

function toNfc(text: string): string {
  const known = normalised.get(text);
  if (known !== undefined) return known;
  const nfc = text.normalize('NFC');
  normalised.set(text, nfc);
  return nfc;
}

/** `i` together with `u` compares by Unicode simple case folding, and by code points. */
export function contains(text: string, term: string): boolean {
  let pattern = patterns.get(term);
  if (pattern === undefined) {
    pattern = new RegExp(toNfc(term).replace(/[\^$\\.*+?()[\]{}|/]/g, '\\$&'), 'iu');
    patterns.set(term, pattern);
  }
  return pattern.test(toNfc(text));
}

/** JavaScript's own `<` compares UTF-16 units, which puts U+1F600 before U+FF71. */
export function compareCodePoints(a: string, b: string): number {
  let index = 0;
  while (index < a.length && index < b.length) {
    const [left = 0, right = 0] = [a.codePointAt(index), b.codePointAt(index)];
    if (left !== right) return left - right;
    index += left > 0xffff ? 2 : 1;
  }
  return a.length - b.length;
}

/** A number as JSON writes it. */
export function readNumber(text: string): number | undefined {
  return /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text) ? Number(text) : undefined;
}

interface Point {
  readonly latitude: number;
  readonly longitude: number;
}
export interface Circle extends Point {
  readonly metres: number;
}

/** `35.68,139.76,5km`. */
export function readCircle(text: string): Circle | undefined {
  const parts = text.split(',');
  const distance = /^(.+)km$/.exec(parts[2] ?? '')?.[1];
  const [latitude, longitude, kilometres] = [parts[0], parts[1], distance].map((part) => readNumber(part ?? ''));
  if (parts.length !== 3 || latitude === undefined || longitude === undefined || kilometres === undefined) return;
  if (Math.abs(latitude) > 90 || Math.abs(longitude) > 180 || kilometres < 0) return;
  return { latitude, longitude, metres: kilometres * 1000 };
}

const EARTH_RADIUS_METRES = 6_371_008.8;

/** By the haversine formula. */
export function distanceMetres(a: Point, b: Point): number {
  const radians = (degrees: number) => (degrees * Math.PI) / 180;
  const [north, east] = [radians(b.latitude - a.latitude), radians(b.longitude - a.longitude)];
  const chord =
    Math.sin(north / 2) ** 2 + Math.cos(radians(a.latitude)) * Math.cos(radians(b.latitude)) * Math.sin(east / 2) ** 2;
  return 2 * EARTH_RADIUS_METRES * Math.asin(Math.min(1, Math.sqrt(chord)));
}
