// Days as texts, `2026-11-16`, and how they are counted. A day has no time zone; to which day a moment belongs depends on
// one.

import { instantOf, localTime, startOfDay } from '../../../src/domain/dates/time-zones.ts';

export type Day = string;

const DAY_MS = 86_400_000;
const SHAPE = /^\d{4}-\d{2}-\d{2}$/;

const utc = (day: Day): Date => new Date(`${day}T00:00:00Z`);
const textOf = (date: Date): Day => date.toISOString().slice(0, 10);
const two = (number: number): string => String(number).padStart(2, '0');

export const isDay = (text: string): boolean =>
  SHAPE.test(text) && !Number.isNaN(utc(text).getTime()) && textOf(utc(text)) === text;

export const addDays = (day: Day, days: number): Day => textOf(new Date(utc(day).getTime() + days * DAY_MS));

/** In a month that is too short, its last day. */
export function addMonths(day: Day, months: number): Day {
  const date = utc(day);
  const first = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months, 1));
  const last = new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1, 0)).getUTCDate();
  return addDays(textOf(first), Math.min(date.getUTCDate(), last) - 1);
}

export const startOfMonth = (day: Day): Day => `${day.slice(0, 7)}-01`;

/** `firstWeekday`: 0 for Sunday. */
export const startOfWeek = (day: Day, firstWeekday: number): Day =>
  addDays(day, -((utc(day).getUTCDay() - firstWeekday + 7) % 7));

export const daysFrom = (first: Day, count: number): readonly Day[] =>
  Array.from({ length: count }, (_, index) => addDays(first, index));

/** For a formatter that is told to use UTC. */
export const dateOfDay = utc;

/** `2026-11-16T09:00:00.000`, as clocks show it there. */
export const localText = (at: Date, zone: string): string =>
  new Date(localTime(zone, at.getTime())).toISOString().slice(0, -1);

/** The moment at which clocks show that. Where they are put forward over it, the time after the gap. */
export const momentOf = (local: string, zone: string): Date => new Date(instantOf(zone, Date.parse(`${local}Z`)));

/** The day of a moment. */
export const localDay = (at: Date, zone: string): Day => localText(at, zone).slice(0, 10);

/** The first moment of a day. */
export const dayStart = (day: Day, zone: string): Date =>
  new Date(startOfDay(zone, Math.floor(utc(day).getTime() / DAY_MS)));

/** The same time of another day. */
export const onDay = (at: Date, day: Day, zone: string): Date =>
  momentOf(`${day}${localText(at, zone).slice(10)}`, zone);

interface WeekInfo {
  readonly firstDay: number;
}

/** Where the browser does not know weeks, they begin on Monday. */
export function firstWeekday(locale: string): number {
  const known = new Intl.Locale(locale) as Intl.Locale & { getWeekInfo?: () => WeekInfo; weekInfo?: WeekInfo };
  return (known.getWeekInfo?.() ?? known.weekInfo ?? { firstDay: 1 }).firstDay % 7;
}

/** The Monday of `2026-W46`. The week with 4 January is the first one. */
export function mondayOf(week: string): Day {
  const [year = '', number = '1'] = week.split('-W');
  return addDays(startOfWeek(`${year}-01-04`, 1), (Number(number) - 1) * 7);
}

/** `2026-W46`: a week belongs to the year of its Thursday. */
export function weekOf(day: Day): string {
  const thursday = addDays(startOfWeek(day, 1), 3);
  const first = startOfWeek(`${thursday.slice(0, 4)}-01-04`, 1);
  const number = Math.round((utc(thursday).getTime() - utc(first).getTime()) / (7 * DAY_MS) + 0.5);
  return `${thursday.slice(0, 4)}-W${two(number)}`;
}
