// Requests as bars: the last day by the hour, or the last thirty days by the day of the reader's time zone.

import type { HourlyUse, RequestCounts } from '../../api/operated-shapes.ts';

export const PERIODS = ['day', 'month'] as const;
export type Period = (typeof PERIODS)[number];

export interface Bar extends RequestCounts {
  /** When it begins. */
  readonly at: number;
  /** Neither refused nor failed. */
  readonly answered: number;
}

const HOUR_MS = 60 * 60_000;
const DAY_HOURS = 24;
const MONTH_DAYS = 30;

/** Also those without requests, the oldest first. */
export function barsOf(hours: HourlyUse['hours'], period: Period, now: number): readonly Bar[] {
  const starts = startsOf(period, now);
  const bars = starts.map((at) => ({ at, answered: 0, requests: 0, refused: 0, failed: 0 }));
  for (const { hour, requests, refused, failed } of hours) {
    const moment = Date.parse(hour);
    const bar = bars.findLast(({ at }) => at <= moment);
    if (bar === undefined) continue;
    bar.requests += requests;
    bar.refused += refused;
    bar.failed += failed;
    bar.answered += requests - refused - failed;
  }
  return bars;
}

function startsOf(period: Period, now: number): readonly number[] {
  if (period === 'day') {
    const last = Math.floor(now / HOUR_MS) * HOUR_MS;
    return Array.from({ length: DAY_HOURS }, (_, at) => last - (DAY_HOURS - 1 - at) * HOUR_MS);
  }
  // Days differ in length when clocks change.
  const today = new Date(now);
  return Array.from({ length: MONTH_DAYS }, (_, at) =>
    new Date(today.getFullYear(), today.getMonth(), today.getDate() - (MONTH_DAYS - 1 - at)).getTime(),
  );
}

export const sumOf = (bars: readonly Bar[], member: keyof RequestCounts): number =>
  bars.reduce((sum, bar) => sum + bar[member], 0);
