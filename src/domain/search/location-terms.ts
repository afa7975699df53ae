// Reads a circle on the earth in a search: latitude, longitude and distance, as in "35.68,139.76,5km".

import { readNumberTerm } from './number-terms.ts';
import type { Reading } from './spans.ts';

export interface Near {
  readonly latitude: number;
  readonly longitude: number;
  readonly metres: number;
}

const UNIT_METRES = { m: 1, km: 1000 } as const;
const DISTANCE = /^(.*\d)\s*(km|m)$/;

/** White space around the commas and before the unit is allowed. */
export function readNear(text: string): Reading<Near> {
  const parts = text.split(',', 4).map((part) => part.trim());
  if (parts.length !== 3) return undefined;
  const latitude = readNumberTerm(parts[0]!);
  const longitude = readNumberTerm(parts[1]!);
  const distance = DISTANCE.exec(parts[2]!);
  const length = distance === null ? undefined : readNumberTerm(distance[1]!);
  if (latitude === undefined || longitude === undefined || length === undefined) return undefined;
  const metres = length * UNIT_METRES[distance![2] as keyof typeof UNIT_METRES];
  if (Math.abs(latitude) > 90) return { problem: `the latitude must be from -90 to 90; it is ${latitude}` };
  if (Math.abs(longitude) > 180) return { problem: `the longitude must be from -180 to 180; it is ${longitude}` };
  if (!(metres >= 0 && Number.isFinite(metres))) return { problem: 'the distance must be a finite number from 0 on' };
  return { latitude, longitude, metres };
}
