import type { Location } from '../../../../client/src/shapes.ts';
import type { Read } from './reading.ts';

/** `35.68, 139.77`, `35.68 139.77 40`, and as the grid shows it: `35.68° N, 139.77° E, 40 m`. */
const PART = /([+-]?\d+(?:\.\d+)?)\s*°?\s*([NSEW])?(?:\s*m\b)?/gi;
const WHOLE = /^[\s,;()°NSEWm+\-.\d]*$/i;

export function readLocation(text: string): Read {
  const plain = text.normalize('NFKC').replace(/−/g, '-').trim();
  const parts = [...plain.matchAll(PART)].map(([, number, side = '']) => {
    const sign = /[SW]/i.test(side) ? -1 : 1;
    return sign * Number(number);
  });
  const [latitude, longitude, altitude] = parts;
  if (!WHOLE.test(plain) || latitude === undefined || longitude === undefined || parts.length > 3)
    return { problem: 'location' };
  if (Math.abs(latitude) > 90 || Math.abs(longitude) > 180) return { problem: 'location' };
  return { value: { type: 'Location', latitude, longitude, ...(altitude === undefined ? {} : { altitude }) } };
}

export const writeLocation = ({ latitude, longitude, altitude }: Location): string =>
  [latitude, longitude, ...(altitude === undefined ? [] : [altitude])].join(', ');
