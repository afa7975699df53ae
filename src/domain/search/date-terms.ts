// Reads dates, date-times and times of day in a search. A less precise term stands for its whole span. Words such as
// `today` and offsets such as `-7d` are read in date-words.

import { isCalendarDay } from '../dates/calendar.ts';
import { DAY_MS, dayNumber } from '../dates/days.ts';
import { instantOf } from '../dates/time-zones.ts';
import { dateSpan, daysSpan, instantSpan, isProblem, outside, type Reading, type Span, timeSpan } from './spans.ts';

const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
const PERIOD = /^(\d{4})(?:-(\d{2}))?$/;
const TIME = /^(\d{2}):(\d{2})(?::(\d{2}))?$/;
/** ISO 8601, with a space allowed instead of the T, as in RFC 3339. Groups: date, time to the second, decimals, offset. */
const DATE_TIME = /^(\d{4}-\d{2}-\d{2})[Tt ](\d{2}:\d{2}|\d{2}:\d{2}:\d{2}(?:\.(\d+))?)([Zz]|[+-]\d{2}:\d{2})?$/;
const OFFSET = /^([+-])(\d{2}):(\d{2})$/;

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const DECIMALS_MAX = 3;

/** A day of the calendar, or an instant and the length of the span that the term stands for. */
export type DayOrInstant = { readonly day: number } | { readonly instant: number; readonly lengthMs: number };

export function spanOf(moment: DayOrInstant, zone: string, written: string): Span | { problem: string } {
  if ('day' in moment) return daysSpan(moment.day, moment.day + 1, { zone, written });
  return instantSpan(moment.instant, moment.instant + moment.lengthMs, written);
}

/** For a DateTime: a date is the day in the zone, and a date-time without offset is in the zone too. */
export function readDateTimeTerm(text: string, zone: string): Reading<Span> {
  const moment = readDayOrInstant(text, zone);
  return moment === undefined || isProblem(moment) ? moment : spanOf(moment, zone, text);
}

export function readDayOrInstant(text: string, zone: string): Reading<DayOrInstant> {
  const date = readDay(text);
  if (date !== undefined) return isProblem(date) ? date : { day: date };
  const parts = DATE_TIME.exec(text);
  if (parts === null) return undefined;
  const decimals = parts[3] ?? '';
  const day = readDay(parts[1]!)!;
  const time = readTimeOfDay(parts[2]!.replace(/\..*/, ''))!;
  if (isProblem(day)) return day;
  if (isProblem(time)) return time;
  if (decimals.length > DECIMALS_MAX) return { problem: `it has more than ${DECIMALS_MAX} decimals of a second` };
  // Any decimals, even one, name a millisecond: programs leave out trailing zeros.
  const local = day * DAY_MS + time.start * SECOND_MS + Number(decimals.padEnd(DECIMALS_MAX, '0'));
  const lengthMs = decimals === '' ? time.seconds * SECOND_MS : 1;
  const offsetMs = readOffset(parts[4]);
  if (isProblem(offsetMs)) return offsetMs;
  return { instant: offsetMs === undefined ? instantOf(zone, local) : local - offsetMs, lengthMs };
}

function readOffset(offset: string | undefined): Reading<number> {
  if (offset === undefined) return undefined;
  const parts = OFFSET.exec(offset);
  if (parts === null) return 0;
  const [hours, minutes] = [Number(parts[2]), Number(parts[3])];
  if (hours > 23 || minutes > 59) return { problem: `${offset} is not an offset from -23:59 to +23:59` };
  return (parts[1] === '-' ? -1 : 1) * (hours * 60 + minutes) * MINUTE_MS;
}

export function readDateTerm(text: string): Reading<Span> {
  const day = readDay(text);
  return day === undefined || isProblem(day) ? day : dateSpan(day, day + 1);
}

/** `10:30` is the minute, `10:30:15` the second. */
export function readTimeTerm(text: string): Reading<Span> {
  const time = readTimeOfDay(text);
  return time === undefined || isProblem(time) ? time : timeSpan(time.start, time.seconds);
}

export function readDay(text: string): Reading<number> {
  const parts = DATE.exec(text);
  if (parts === null) return undefined;
  const [year, month, day] = [Number(parts[1]), Number(parts[2]), Number(parts[3])];
  if (year === 0) return outside(text);
  return isCalendarDay(year, month, day)
    ? dayNumber(year, month, day)
    : { problem: `${text} is not a day of the calendar` };
}

/** A month or a year of the calendar: its first day, and the first day after it. */
export interface CalendarPeriod {
  readonly first: number;
  readonly next: number;
}

export function readPeriod(text: string): Reading<CalendarPeriod> {
  const parts = PERIOD.exec(text);
  if (parts === null) return undefined;
  const year = Number(parts[1]);
  if (year === 0) return outside(text);
  if (parts[2] === undefined) return { first: dayNumber(year, 1, 1), next: dayNumber(year + 1, 1, 1) };
  const month = Number(parts[2]);
  // The month after December is January of the next year.
  return month >= 1 && month <= 12
    ? { first: dayNumber(year, month, 1), next: dayNumber(year, month + 1, 1) }
    : { problem: `${text} is not a month of the calendar` };
}

/** In seconds: the start and the length of the span. */
function readTimeOfDay(text: string): Reading<{ start: number; seconds: number }> {
  const parts = TIME.exec(text);
  if (parts === null) return undefined;
  const [hour, minute, second] = [Number(parts[1]), Number(parts[2]), Number(parts[3] ?? 0)];
  if (hour > 23 || minute > 59 || second > 59) return { problem: `${text} is not a time from 00:00:00 to 23:59:59` };
  return { start: (hour * 60 + minute) * 60 + second, seconds: parts[3] === undefined ? 60 : 1 };
}
