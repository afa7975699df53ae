// Days of the proleptic Gregorian calendar as numbers (0 is 1970-01-01), and arithmetic with them. No time zones.

import { isCalendarDay } from './calendar.ts';

export const DAY_MS = 86_400_000;

/** The calendar repeats after 400 years, which are 146,097 days. */
const DAYS_OF_400_YEARS = 146_097;

export const FIRST_DAY = dayNumber(1, 1, 1);
export const LAST_DAY = dayNumber(9999, 12, 31);
/** The instants that can be stored: the years 0001 to 9999 in UTC. */
export const FIRST_INSTANT = FIRST_DAY * DAY_MS;
export const LAST_INSTANT = (LAST_DAY + 1) * DAY_MS - 1;

export function dayNumber(year: number, month: number, day: number): number {
  // Date.UTC itself reads the years 0 to 99 as 1900 to 1999.
  return Date.UTC(year + 400, month - 1, day) / DAY_MS - DAYS_OF_400_YEARS;
}

/** Only for days from FIRST_DAY to LAST_DAY. */
export function dayText(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}

/** Stays within the month: one month after 31 January is the last of February. undefined outside the years 0001 to 9999. */
export function addMonths(day: number, months: number): number | undefined {
  const date = new Date(day * DAY_MS);
  const month = date.getUTCFullYear() * 12 + date.getUTCMonth() + months;
  const year = Math.floor(month / 12);
  if (!(year >= 1 && year <= 9999)) return undefined;
  let dayOfMonth = date.getUTCDate();
  while (!isCalendarDay(year, (month % 12) + 1, dayOfMonth)) dayOfMonth -= 1;
  return dayNumber(year, (month % 12) + 1, dayOfMonth);
}
