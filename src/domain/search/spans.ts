// The spans of time that dates and times in a search stand for: their length, and how values compare with them. Every span
// is half open: it ends before `before`.

import { dayText, FIRST_INSTANT, LAST_DAY, LAST_INSTANT } from '../dates/days.ts';
import { startOfDay } from '../dates/time-zones.ts';
import type { Condition, Operator, SearchField } from './condition.ts';

/** In the stored form. An absent end lies outside the range that can be stored. */
export interface Span {
  readonly from?: string;
  readonly before?: string;
}

/** Why a term of the right form is not a value of the column's type. */
export interface TermProblem {
  readonly problem: string;
}
/** undefined: the term does not have the form at all. */
export type Reading<Result> = Result | TermProblem | undefined;

export function isProblem(reading: unknown): reading is TermProblem {
  return typeof reading === 'object' && reading !== null && 'problem' in reading;
}

export const outside = (written: string, where = ''): TermProblem => ({
  problem: `${written.length > 40 ? 'it' : written} is outside the years 0001 to 9999${where}`,
});

/** A day can have 23 or 25 hours in its zone, and none at all where the zone skipped it. `next` is the first day after it. */
export const daysSpan = (
  first: number,
  next: number,
  { zone, written }: { zone: string; written: string },
): Span | TermProblem => instantSpan(startOfDay(zone, first), startOfDay(zone, next), written);

export function instantSpan(from: number, before: number, written: string): Span | TermProblem {
  if (from > LAST_INSTANT || before <= FIRST_INSTANT) return outside(written, ' in UTC');
  return {
    ...(from < FIRST_INSTANT ? {} : { from: new Date(from).toISOString() }),
    ...(before > LAST_INSTANT ? {} : { before: new Date(before).toISOString() }),
  };
}

export const dateSpan = (first: number, next: number): Span => ({
  from: dayText(first),
  ...(next > LAST_DAY ? {} : { before: dayText(next) }),
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

/** The first value of each type, and the exclusive end of its values if that can be written. */
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

/** `=` is inside the span, `<` before it, `<=` up to its end, `>` after it, `>=` from its start. */
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
      // Not the same as having a value: an empty Array has one.
      return range(before === undefined ? { from: first } : { before });
    case '>':
      return before === undefined || before === end ? { kind: 'nothing' } : range({ from: before });
    case '>=':
      return range({ from: from ?? first });
  }
}
