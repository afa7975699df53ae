// Reads dates and times as people and spreadsheets write them. What could mean two days is refused, unless the order of
// day and month is known.

import { isCalendarDay } from '../../domain/dates/calendar.ts';
import { DAY_MS, dayNumber, dayText } from '../../domain/dates/days.ts';
import { instantOf } from '../../domain/dates/time-zones.ts';
import { cellProblem } from '../problems.ts';

export interface DateReading {
  /** Of times without an offset. */
  readonly timeZone: string;
  /** Of dates such as 3/4/2026. */
  readonly order: DateOrder | undefined;
}

export const DATE_ORDERS = ['ymd', 'dmy', 'mdy'] as const;
export type DateOrder = (typeof DATE_ORDERS)[number];

const DATE = /^(\d{1,4})([-/.])(\d{1,2})\2(\d{1,4})/;
const CLOCK = /^(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?\s*(am|pm)?$/i;
const OFFSET = /\s*(z|utc|[+-]\d{2}:?\d{2})$/i;

interface FoundDate {
  readonly day: number;
  /** After the date, without the T or the blanks before it. */
  readonly rest: string;
}

function findDate(text: string, order: DateOrder | undefined): FoundDate {
  const match = DATE.exec(text);
  if (match === null) throw cellProblem('notDate', text);
  const [all, first = '', separator, second = '', third = ''] = match;
  const parts = partsOf([first, second, third], { separator: separator ?? '', order, text });
  if (parts.year.length !== 4) throw cellProblem('shortYear', text);
  const [year, month, day] = [Number(parts.year), Number(parts.month), Number(parts.day)];
  if (year < 1 || !isCalendarDay(year, month, day)) throw cellProblem('noSuchDay', text);
  return { day: dayNumber(year, month, day), rest: text.slice(all.length).replace(/^(?:[Tt]|,?\s+)/, '') };
}

interface Written {
  readonly separator: string;
  readonly order: DateOrder | undefined;
  readonly text: string;
}

function partsOf([first, second, third]: [string, string, string], { separator, order, text }: Written) {
  if (first.length === 4) return { year: first, month: second, day: third };
  // Dots are written with the day first everywhere.
  const known = order === 'mdy' || order === 'dmy' ? order : separator === '.' ? 'dmy' : dayOrder(first, second);
  if (known === 'dmy') return { year: third, month: second, day: first };
  if (known === 'mdy') return { year: third, month: first, day: second };
  throw cellProblem('unclearDate', text);
}

/** Undefined if both orders give a day. */
function dayOrder(first: string, second: string): DateOrder | undefined {
  if (Number(first) > 12) return 'dmy';
  return Number(second) > 12 ? 'mdy' : undefined;
}

/** What one date tells about the others of its column; undefined if it tells nothing. */
export function orderIn(text: string): DateOrder | undefined {
  const match = DATE.exec(text);
  if (match === null || match[1]?.length === 4) return undefined;
  return match[2] === '.' ? 'dmy' : dayOrder(match[1] ?? '', match[3] ?? '');
}

/** The order of ambiguous dates that the others of the same file tell. */
export function orderOf(texts: Iterable<string>): DateOrder | undefined {
  const orders = new Set([...texts].flatMap((text) => orderIn(text) ?? []));
  const [only] = orders;
  return orders.size === 1 ? only : undefined;
}

/** Milliseconds since midnight. */
function readClock(text: string, shown: string): number {
  const match = CLOCK.exec(text.trim());
  if (match === null) throw cellProblem('notTime', shown);
  const [, hours = '', minutes = '', seconds = '0', decimals = '', half] = match;
  const hour = half === undefined ? Number(hours) : hourOf(Number(hours), half.toLowerCase(), shown);
  if (hour > 23 || Number(minutes) > 59 || Number(seconds) > 59) {
    throw cellProblem('noSuchTime', shown);
  }
  const ms = Math.floor(Number(`0.${decimals || '0'}`) * 1000 + 1e-6);
  return ((hour * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000 + ms;
}

function hourOf(hour: number, half: string, shown: string): number {
  if (hour < 1 || hour > 12) throw cellProblem('notTwelveHours', shown);
  return (hour % 12) + (half === 'pm' ? 12 : 0);
}

export function readDateCell(text: string, { order }: DateReading): string {
  const { day, rest } = findDate(text.trim(), order);
  if (rest !== '' && readClock(rest.replace(OFFSET, ''), text) !== 0) {
    throw cellProblem('dateWithTime', text);
  }
  return dayText(day);
}

export function readTimeCell(text: string): string {
  return new Date(readClock(text, text)).toISOString().slice(11, 19);
}

/** RFC 3339 in UTC. A date alone is its midnight. */
export function readDateTimeCell(text: string, { order, timeZone }: DateReading): string {
  const { day, rest } = findDate(text.trim(), order);
  const offset = OFFSET.exec(rest)?.[1];
  const clock = offset === undefined ? rest : rest.replace(OFFSET, '');
  const local = day * DAY_MS + (clock === '' ? 0 : readClock(clock, text));
  const instant = offset === undefined ? instantOf(timeZone, local) : local - offsetMs(offset, text);
  return new Date(instant).toISOString();
}

function offsetMs(offset: string, shown: string): number {
  if (/^[a-z]/i.test(offset)) return 0;
  const [hours, minutes] = [Number(offset.slice(1, 3)), Number(offset.slice(-2))];
  if (hours > 23 || minutes > 59) throw cellProblem('wrongOffset', shown);
  return (offset.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * 60_000;
}
