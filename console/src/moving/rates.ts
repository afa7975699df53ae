// How quick a run is, and how long it still takes.

import type { WaitReason } from '../../../src/moving/import/patience.ts';

export interface Progress {
  readonly rows: number;
  readonly rejected: number;
  /** Of the file, from 0 to 1; undefined where its end is not known. */
  readonly share?: number;
  /** Before what this run did: it says nothing about the rate. */
  readonly earlier: number;
  readonly waiting?: WaitReason;
}

export interface Rates {
  readonly perSecond: number;
  readonly secondsLeft: number;
}

/** `seconds`: those in which it ran. Undefined as long as they say nothing. What an earlier run stored took none of them. */
export function ratesOf({ rows, earlier, share }: Progress, seconds: number): Rates | undefined {
  const own = rows - earlier;
  if (seconds < 1 || own <= 0 || share === undefined || share <= 0) return undefined;
  const perSecond = own / seconds;
  // The share of the file is of all rows, those of earlier runs too.
  const all = rows / Math.min(1, share);
  return { perSecond: Math.round(perSecond), secondsLeft: Math.ceil(Math.max(0, all - rows) / perSecond) };
}
