// The days that a calendar shows, and those before and after them.

import { addDays, addMonths, type Day, daysFrom, startOfMonth, startOfWeek } from '../days.ts';

export type SpanUnit = 'month' | 'week' | 'day';

export interface Span {
  readonly days: readonly Day[];
  readonly from: Day;
  /** The day after the last. */
  readonly until: Day;
}

/** A month is shown in whole weeks. */
export function spanOf(unit: SpanUnit, at: Day, firstWeekday: number): Span {
  if (unit === 'day') return span(at, 1);
  if (unit === 'week') return span(startOfWeek(at, firstWeekday), 7);
  const from = startOfWeek(startOfMonth(at), firstWeekday);
  const next = startOfMonth(addMonths(at, 1));
  let count = 28;
  while (addDays(from, count) < next) count += 7;
  return span(from, count);
}

const span = (from: Day, count: number): Span => ({ days: daysFrom(from, count), from, until: addDays(from, count) });

/** The same unit before (-1) or after (1). */
export function stepped(unit: SpanUnit, at: Day, step: 1 | -1): Day {
  if (unit === 'month') return addMonths(at, step);
  return addDays(at, step * (unit === 'week' ? 7 : 1));
}
