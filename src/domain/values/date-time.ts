// DateTime: an instant to the millisecond. Reads RFC 3339 and POSIX seconds, stores `YYYY-MM-DDThh:mm:ss.sssZ`.
// The forms that only a search accepts (dates without a zone, `today`) are read in domain/search.

import type { DateTimeValue } from '../../wire/values.ts';
import { isCalendarDay } from '../dates/calendar.ts';
import { DAY_MS, dayNumber } from '../dates/days.ts';
import { describe, quoteClipped, readMembers, required, ValueProblem, type ValueType } from './value-type.ts';

// RFC 3339 section 5.6. Up to the seconds every digit has a fixed position, so they are read by position, which saves
// 0.6 µs over capturing them. Any number of decimals matches, so that too many can be reported as such.
const FORM = /^[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]+)?(?:[Zz]|[+-][0-9]{2}:[0-9]{2})$/;
/** Tested only on texts that match FORM. */
const STORED_FORM = /^.{10}T.{8}\.[0-9]{3}Z$/;
const DECIMALS_AT = 20;
const DECIMALS_MAX = 3;

/** 0001-01-01T00:00:00Z and 9999-12-31T23:59:59.999Z. */
const SECONDS_MIN = -62_135_596_800;
const SECONDS_MAX = 253_402_300_799.999;
const MILLISECONDS_MIN = -62_135_596_800_000;
const MILLISECONDS_MAX = 253_402_300_799_999;

const YEARS = 'the years 0001 to 9999 in UTC';

export const dateTimeType: ValueType<DateTimeValue> = {
  name: 'DateTime',
  members: ['value'],
  required: ['value'],
  sortable: true,
  read(input, { path }) {
    const value = required(readMembers(dateTimeType, input, path), 'value', path);
    const instant = readInstant(value);
    if ('problem' in instant) throw new ValueProblem(instant.problem, `${path}/value`);
    // Clients mostly send the text that they read, and formatting an instant (1.1 µs) takes longer than all the checks.
    const kept = typeof value === 'string' && STORED_FORM.test(value);
    return { type: 'DateTime', value: kept ? value : new Date(instant.milliseconds).toISOString() };
  },
  uniqueKey: ({ value }) => `=${value}`,
};

type Instant = { milliseconds: number } | { problem: string };

function readInstant(value: unknown): Instant {
  if (typeof value === 'string') return readRfc3339(value);
  if (typeof value === 'number') return readPosixSeconds(value);
  return { problem: `"value" must be an RFC 3339 string or a POSIX time in seconds, not ${describe(value)}` };
}

function readPosixSeconds(seconds: number): Instant {
  if (seconds >= SECONDS_MIN && seconds <= SECONDS_MAX) return { milliseconds: Math.round(seconds * 1000) };
  const range = `a POSIX time must be from ${SECONDS_MIN} to ${SECONDS_MAX} seconds since 1970`;
  return seconds >= MILLISECONDS_MIN && seconds <= MILLISECONDS_MAX
    ? { problem: `${range}; ${seconds} looks like milliseconds, but seconds are expected` }
    : { problem: `${range}; ${seconds} is outside ${YEARS}` };
}

export function readRfc3339(text: string): Instant {
  if (!FORM.test(text)) {
    return {
      problem: `"value" must be RFC 3339 with Z or an offset, such as 2024-05-01T10:30:00.000Z; it is ${quoteClipped(text)}`,
    };
  }
  const [year, month, day] = [digits(text, 0, 4), digits(text, 5, 2), digits(text, 8, 2)];
  if (!isCalendarDay(year, month, day)) return { problem: `${text.slice(0, 10)} is not a day of the calendar` };
  const [hour, minute, second] = [digits(text, 11, 2), digits(text, 14, 2), digits(text, 17, 2)];
  if (second === 60) return { problem: 'leap seconds (:60) cannot be stored' };
  if (hour > 23 || minute > 59 || second > 59) {
    return { problem: `${text.slice(11, 19)} is not a time from 00:00:00 to 23:59:59` };
  }
  const zoneAt = /[Zz]$/.test(text) ? text.length - 1 : text.length - 6;
  const decimals = Math.max(0, zoneAt - DECIMALS_AT);
  if (decimals > DECIMALS_MAX) return { problem: `a DateTime has at most ${DECIMALS_MAX} decimals of a second` };
  const offsetMinutes = readOffsetMinutes(text, zoneAt);
  if (offsetMinutes === undefined) return { problem: `${text.slice(zoneAt)} is not an offset from -23:59 to +23:59` };
  const milliseconds =
    DAY_MS * dayNumber(year, month, day) +
    ((hour * 60 + minute - offsetMinutes) * 60 + second) * 1000 +
    digits(text, DECIMALS_AT, decimals) * 10 ** (DECIMALS_MAX - decimals);
  return milliseconds < MILLISECONDS_MIN || milliseconds > MILLISECONDS_MAX
    ? { problem: `${text} is outside ${YEARS}` }
    : { milliseconds };
}

/** The number at a position where FORM has matched digits; 0 when `count` is 0. */
function digits(text: string, at: number, count: number): number {
  let number = 0;
  for (let index = at; index < at + count; index += 1) number = number * 10 + text.charCodeAt(index) - 48;
  return number;
}

/** 0 for Z; undefined for an invalid offset. `-00:00` is UTC with an unknown local zone (RFC 3339 section 4.3). */
function readOffsetMinutes(text: string, zoneAt: number): number | undefined {
  if (zoneAt === text.length - 1) return 0;
  const [hours, minutes] = [digits(text, zoneAt + 1, 2), digits(text, zoneAt + 4, 2)];
  if (hours > 23 || minutes > 59) return undefined;
  return (text[zoneAt] === '-' ? -1 : 1) * (hours * 60 + minutes);
}
