// Spans of time, for which dates and times in a search stand: how long each is, and what comparing with one means. Every
// span is half open: it ends before `before`.

import { dayText, FIRST_INSTANT, LAST_DAY, LAST_INSTANT } from '../dates/days.ts';
import { startOfDay } from '../dates/time-zones.ts';
import type { Condition, Operator, SearchField } from './condition.ts';

/** In the stored form. An end that is absent lies outside of what can be stored. */
export interface Span {
  readonly from?: string;
  readonly before?: string;
}

/** Why a term that looks like what the column holds is none. */
export interface TermProblem {
  readonly problem: string;
}
/** undefined: the term does not even look like one. */
export type Reading<Result> = Result | TermProblem | undefined;

export function isProblem(reading: unknown): reading is TermProblem {
  return typeof reading === 'object' && reading !== null && 'problem' in reading;
}

export const outside = (written: string, where = ''): TermProblem => ({
  problem: `${written.length > 40 ? 'it' : written} is outside the years 0001 to 9999${where}`,
});

/** A day in a zone is as long as the zone makes it: 23 or 25 hours, and nothing at all where the zone skipped it. */
export const daySpan = (day: number, zone: string): Span | TermProblem =>
  instantSpan(startOfDay(zone, day), startOfDay(zone, day + 1), dayText(day));

export function instantSpan(from: number, before: number, written: string): Span | TermProblem {
  if (from > LAST_INSTANT || before <= FIRST_INSTANT) return outside(written, ' in UTC');
  return {
    ...(from < FIRST_INSTANT ? {} : { from: new Date(from).toISOString() }),
    ...(before > LAST_INSTANT ? {} : { before: new Date(before).toISOString() }),
  };
}

export const dateSpan = (day: number): Span => ({
  from: dayText(day),
  ...(day === LAST_DAY ? {} : { before: dayText(day + 1) }),
});

/** A minute or a second of the day, in seconds from its start. */
export const timeSpan = (start: number, seconds: number): Span => ({
  from: timeText(start),
  before: timeText(start + seconds),
});

const timeText = (seconds: number): string =>
  [seconds / 3600, (seconds / 60) % 60, seconds % 60]
    .map((part) => String(Math.floor(part)).padStart(2, '0'))
    .join(':');

/** The first value of each type, and what its values end before if that can be written. */
const SCALES = {
  DateTime: { first: new Date(FIRST_INSTANT).toISOString(), end: undefined },
  Date: { first: '0001-01-01', end: undefined },
  Time: { first: '00:00:00', end: '24:00:00' },
} as const;

export interface SpanComparison {
  readonly field: SearchField;
  readonly type: keyof typeof SCALES;
  readonly operator: Operator;
}

/** `=` is within the span, `<` before it, `<=` up to its end, `>` behind it, `>=` from its start. */
export function compareWithSpan({ field, type, operator }: SpanComparison, { from, before }: Span): Condition {
  const { first, end } = SCALES[type];
  const range = (ends: Span): Condition => ({ kind: 'range', field, ...ends });
  switch (operator) {
    case '=':
      if (from !== undefined && from === before) return { kind: 'nothing' };
      return range({ ...(from === undefined ? {} : { from }), ...(before === undefined ? {} : { before }) });
    case '<':
      return from === undefined || from === first ? { kind: 'nothing' } : range({ before: from });
    case '<=':
      // From the first on is not the same as having a value: an empty Array has one.
      return range(before === undefined ? { from: first } : { before });
    case '>':
      return before === undefined || before === end ? { kind: 'nothing' } : range({ from: before });
    case '>=':
      return range({ from: from ?? first });
  }
}
