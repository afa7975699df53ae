// Reads dates after an operator: written out, down to the day or only to the month or year, or as one of the words `today`, `yesterday`, `tomorrow` and `now`, each with
// an optional offset such as `today-7d` or `2024-01-31+1mo`.

import { addMonths, DAY_MS, FIRST_DAY, FIRST_INSTANT, LAST_DAY, LAST_INSTANT } from '../dates/days.ts';
import { instantOf, localDay, localTime, startOfDay } from '../dates/time-zones.ts';
import { type DayOrInstant, readDay, readDayOrInstant, readPeriod, spanOf } from './date-terms.ts';
import { dateSpan, daysSpan, isProblem, outside, type Reading, type Span } from './spans.ts';

export interface SearchClock {
  readonly zone: string;
  /** Milliseconds since 1970. */
  readonly now: number;
}

interface Offset {
  readonly amount: number;
  readonly unit: 'm' | 'h' | 'd' | 'w' | 'mo' | 'y';
}

const WITH_OFFSET = /^(.*?)([+-])(\d+)(m|h|d|w|mo|y)$/s;
const WORD = /^(?:today|yesterday|tomorrow|now)$/;
const BEGINS_LIKE_ONE = /^(?:today|yesterday|tomorrow|now|\d{4}-\d{2}-\d{2})[+-]/;
const SHIFTED_PERIOD = /^\d{4}(?:-\d{2})?[+-]\d+(?:m|h|d|w|mo|y)$/;
const DAYS_FROM_TODAY = { yesterday: -1, today: 0, tomorrow: 1 } as const;
const UNIT_MS = { m: 60_000, h: 3_600_000, d: DAY_MS, w: 7 * DAY_MS } as const;

/** For a DateTime. */
export function readDateTimeOrWord(text: string, clock: SearchClock): Reading<Span> {
  const period = readPeriod(text);
  if (period !== undefined) {
    return isProblem(period) ? period : daysSpan(period.first, period.next, { zone: clock.zone, written: text });
  }
  const moment = readShifted(text, clock, (base) => wordOf(base, clock) ?? readDayOrInstant(base, clock.zone));
  return moment === undefined || isProblem(moment) ? moment : spanOf(moment, clock.zone, text);
}

/** For a Date, where `now` is today's date. With m or h it is the date in the zone at that instant. */
export function readDateOrWord(text: string, clock: SearchClock): Reading<Span> {
  const period = readPeriod(text);
  if (period !== undefined) return isProblem(period) ? period : dateSpan(period.first, period.next);
  const moment = readShifted(text, clock, (base) => wordOf(base, clock) ?? dayMoment(readDay(base)));
  if (moment === undefined || isProblem(moment)) return moment;
  const day = 'day' in moment ? moment.day : dayInRange(localDay(clock.zone, moment.instant));
  return day === undefined ? outside(text) : dateSpan(day, day + 1);
}

const dayMoment = (day: Reading<number>): Reading<DayOrInstant> => (typeof day === 'number' ? { day } : day);

function wordOf(text: string, { zone, now }: SearchClock): DayOrInstant | undefined {
  if (!WORD.test(text)) return undefined;
  if (text === 'now') return { instant: now, lengthMs: 1 };
  return { day: localDay(zone, now) + DAYS_FROM_TODAY[text as keyof typeof DAYS_FROM_TODAY] };
}

function readShifted(
  text: string,
  clock: SearchClock,
  read: (base: string) => Reading<DayOrInstant>,
): Reading<DayOrInstant> {
  const whole = read(text);
  if (whole !== undefined) return whole;
  const parts = WITH_OFFSET.exec(text);
  const base = parts === null ? undefined : read(parts[1]!);
  if (parts === null || base === undefined) {
    const problem = 'an offset is one whole number and its unit: m, h, d, w, mo or y, as in today-7d';
    if (BEGINS_LIKE_ONE.test(text)) return { problem };
    return SHIFTED_PERIOD.test(text) ? { problem: 'an offset can follow a day, but no month or year' } : undefined;
  }
  if (isProblem(base)) return base;
  const amount = Number(parts[3]) * (parts[2] === '-' ? -1 : 1);
  return shift(base, { amount, unit: parts[4] as Offset['unit'] }, clock) ?? outside(text);
}

/**
 * A day is moved in the calendar by d, w, mo and y; with m or h it becomes an instant, counted from the start of the day:
 * `today+9h`. To an instant, m, h, d and w add their exact length; mo and y move it in the calendar and keep the local
 * time. undefined outside the years 0001 to 9999.
 */
function shift(moment: DayOrInstant, { amount, unit }: Offset, { zone }: SearchClock): DayOrInstant | undefined {
  if (unit === 'mo' || unit === 'y') {
    const months = unit === 'y' ? amount * 12 : amount;
    if (!('day' in moment)) return shiftClock(moment, months, zone);
    const day = addMonths(moment.day, months);
    return day === undefined ? undefined : { day };
  }
  if ('day' in moment && (unit === 'd' || unit === 'w')) {
    const day = dayInRange(moment.day + amount * (unit === 'w' ? 7 : 1));
    return day === undefined ? undefined : { day };
  }
  const start = 'day' in moment ? { instant: startOfDay(zone, moment.day), lengthMs: 1 } : moment;
  const instant = start.instant + amount * UNIT_MS[unit];
  return instant >= FIRST_INSTANT && instant <= LAST_INSTANT ? { ...start, instant } : undefined;
}

const dayInRange = (day: number): number | undefined => (day >= FIRST_DAY && day <= LAST_DAY ? day : undefined);

/** The same local time, `months` later. */
function shiftClock(
  moment: Exclude<DayOrInstant, { readonly day: number }>,
  months: number,
  zone: string,
): DayOrInstant | undefined {
  const local = localTime(zone, moment.instant);
  const from = Math.floor(local / DAY_MS);
  const to = addMonths(from, months);
  if (to === undefined) return undefined;
  // On the same day nothing is converted, so the second of two equal hours stays the second.
  return to === from ? moment : { ...moment, instant: instantOf(zone, local + (to - from) * DAY_MS) };
}
