// The units in which dates are grouped, and how each is written.

import { DAY_MS } from './days.ts';

export const UNITS = ['day', 'week', 'month', 'year'] as const;
export type Unit = (typeof UNITS)[number];

/** How a day, or the first day of a week, month or year is written: 2026-11-15, 2026-W46, 2026-11, 2026. */
export function writeUnit(unit: Unit, firstDay: number): string {
  const date = new Date(firstDay * DAY_MS);
  if (unit === 'week') {
    // The year of a week is the year of its Thursday (ISO 8601).
    const thursday = new Date((firstDay + 3) * DAY_MS);
    const year = thursday.getUTCFullYear();
    const newYear = new Date(thursday).setUTCMonth(0, 1) / DAY_MS;
    return `${padded(year, 4)}-W${padded(Math.floor((firstDay + 3 - newYear) / 7) + 1, 2)}`;
  }
  const year = padded(date.getUTCFullYear(), 4);
  const month = `${year}-${padded(date.getUTCMonth() + 1, 2)}`;
  if (unit === 'year') return year;
  return unit === 'month' ? month : `${month}-${padded(date.getUTCDate(), 2)}`;
}

const padded = (number: number, digits: number): string => String(number).padStart(digits, '0');
