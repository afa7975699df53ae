// Spans of days by the names that people have for them, and how a search writes them: relative to today where the language
// can, otherwise by the days themselves.

import { addDays, addMonths, type Day, startOfMonth, startOfWeek } from '../views/days.ts';

export const SPAN_NAMES = [
  'today',
  'yesterday',
  'tomorrow',
  'last7',
  'last30',
  'next7',
  'thisWeek',
  'lastWeek',
  'nextWeek',
  'thisMonth',
  'lastMonth',
  'nextMonth',
  'thisYear',
  'lastYear',
  'ago7',
  'ago30',
] as const;
export type SpanName = (typeof SPAN_NAMES)[number];

/** From `text` on, and if it is no single value of the language until the end of `until`. */
export interface SpanTerm {
  readonly text: string;
  readonly until?: string;
}

export interface Span extends SpanTerm {
  readonly name: SpanName;
  /** Written by its days: tomorrow it is still the same. */
  readonly isFixed: boolean;
}

/** `firstWeekday`: 0 for Sunday. */
export function spansAt(today: Day, firstWeekday: number): readonly Span[] {
  const week = startOfWeek(today, firstWeekday);
  const weekFrom = (days: number): SpanTerm => ({ text: addDays(week, days), until: addDays(week, days + 6) });
  const month = (months: number): SpanTerm => ({ text: addMonths(startOfMonth(today), months).slice(0, 7) });
  const terms: Record<SpanName, SpanTerm> = {
    today: { text: 'today' },
    yesterday: { text: 'yesterday' },
    tomorrow: { text: 'tomorrow' },
    // With today.
    last7: { text: 'today-6d', until: 'today' },
    last30: { text: 'today-29d', until: 'today' },
    next7: { text: 'today', until: 'today+6d' },
    thisWeek: weekFrom(0),
    lastWeek: weekFrom(-7),
    nextWeek: weekFrom(7),
    thisMonth: month(0),
    lastMonth: month(-1),
    nextMonth: month(1),
    thisYear: { text: today.slice(0, 4) },
    lastYear: { text: addMonths(today, -12).slice(0, 4) },
    ago7: { text: 'today-7d' },
    ago30: { text: 'today-30d' },
  };
  return SPAN_NAMES.map((name) => ({ name, ...terms[name], isFixed: /^\d/.test(terms[name].text) }));
}

export const spanOf = (spans: readonly Span[], { text, until }: SpanTerm): Span | undefined =>
  spans.find((span) => span.text === text && span.until === until);

/** `isWithin`: for a comparison by equality; for the others a span has to be a single value of the language. */
export const offeredSpans = (spans: readonly Span[], isWithin: boolean): readonly Span[] =>
  spans.filter(({ name, until }) => (isWithin ? name !== 'ago7' && name !== 'ago30' : until === undefined));

/** As a search writes it. `written`: the name of the column. */
export const writtenSpan = (written: string, { text, until }: SpanTerm): string =>
  until === undefined ? `${written}=${text}` : `${written}>=${text} ${written}<=${until}`;
