// Time zones of the tz database: converts instants to local times and back. Instants are milliseconds since 1970. A local
// time is the number of milliseconds at which UTC clocks show the same date and time.

import { BoundedMap } from '../../load/bounded-map.ts';
import { DAY_MS } from './days.ts';

/** A formatter takes 25 KB and 135 µs to create; few zones are in use at once. */
const formatters = new BoundedMap<string, Intl.DateTimeFormat>(64);

export function isTimeZone(name: string): boolean {
  // Newer engines also accept offsets such as +09:00, which are not names of the tz database.
  if (/^[+-]/.test(name)) return false;
  try {
    formatterOf(name);
    return true;
  } catch {
    return false;
  }
}

function formatterOf(zone: string): Intl.DateTimeFormat {
  const known = formatters.get(zone);
  if (known !== undefined) return known;
  const formatter = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    era: 'short',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  formatters.set(zone, formatter);
  return formatter;
}

export function localTime(zone: string, instant: number): number {
  const wholeSecond = Math.floor(instant / 1000) * 1000;
  const part = { year: 0, month: 0, day: 0, hour: 0, minute: 0, second: 0 };
  let beforeChrist = false;
  for (const { type, value } of formatterOf(zone).formatToParts(wholeSecond)) {
    if (type in part) part[type as keyof typeof part] = Number(value);
    else if (type === 'era') beforeChrist = value === 'BC';
  }
  // 1 BC is the year 0; Date.UTC itself reads the years 0 to 99 as 1900 to 1999.
  const date = new Date(0);
  date.setUTCFullYear(beforeChrist ? 1 - part.year : part.year, part.month - 1, part.day);
  return date.setUTCHours(part.hour, part.minute, part.second) + (instant - wholeSecond);
}

const offsetAt = (zone: string, instant: number): number => localTime(zone, instant) - instant;

/** The number of the day (days.ts) that the zone's calendar shows. */
export const localDay = (zone: string, instant: number): number => Math.floor(localTime(zone, instant) / DAY_MS);

/**
 * Follows the usual rule of calendars: a local time that is skipped moves forward by the gap (02:30 becomes 03:30), and one
 * that occurs twice means the first.
 */
export function instantOf(zone: string, local: number): number {
  const offsets = offsetsAround(zone, local);
  return firstShowing(zone, local, offsets) ?? local - offsets[0];
}

/**
 * The first instant of the day. Where clocks skip midnight it is the instant of the skip, even if the gap begins before
 * midnight; where they skip the whole day it is the start of the next day.
 */
export function startOfDay(zone: string, day: number): number {
  const midnight = day * DAY_MS;
  const offsets = offsetsAround(zone, midnight);
  const shown = firstShowing(zone, midnight, offsets);
  if (shown !== undefined) return shown;
  let before = midnight - Math.max(...offsets) - 1;
  let after = midnight - Math.min(...offsets);
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (localTime(zone, middle) >= midnight) after = middle;
    else before = middle;
  }
  return after;
}

/** The offsets before and after any change nearby. No zone differs from UTC by a whole day or changes twice in two days. */
function offsetsAround(zone: string, local: number): [before: number, after: number] {
  return [offsetAt(zone, local - DAY_MS), offsetAt(zone, local + DAY_MS)];
}

function firstShowing(zone: string, local: number, offsets: readonly number[]): number | undefined {
  const instants = [...new Set(offsets)].map((offset) => local - offset);
  const showing = instants.filter((instant) => localTime(zone, instant) === local);
  return showing.length === 0 ? undefined : Math.min(...showing);
}
