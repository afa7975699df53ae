import type { Read, Writing } from './reading.ts';

interface Day {
  readonly year: number;
  readonly month: number;
  readonly day: number;
}

const ISO = /^(\d{4})-(\d{1,2})-(\d{1,2})$/;
const YEAR_FIRST = /^(\d{4})[/.年]\s*(\d{1,2})[/.月]\s*(\d{1,2})日?$/;
const YEAR_LAST = /^(\d{1,2})([/.\-\s])(\d{1,2})\2(\d{4}|\d{2})$/;
const ERA = /^(令和|平成|昭和|R|H|S)\s*(\d{1,2}|元)[/.年]\s*(\d{1,2})[/.月]\s*(\d{1,2})日?$/i;
/** The year before the first one of each era. */
const ERAS: Readonly<Record<string, number>> = { 令和: 2018, 平成: 1988, 昭和: 1925, R: 2018, H: 1988, S: 1925 };
/** Two digits mean the hundred years around now, as spreadsheets read them. */
const CENTURY_TURN = 70;

/** A day as an ISO text, or undefined. */
export function dayOf(text: string, { locale }: Writing): string | undefined {
  const plain = text.normalize('NFKC').trim();
  const day = yearFirst(plain) ?? era(plain) ?? yearLast(plain, locale) ?? withMonthName(plain, locale);
  return day === undefined ? undefined : isoOf(day);
}

const dayFrom = (year: unknown, month: unknown, day: unknown): Day => ({
  year: Number(year),
  month: Number(month),
  day: Number(day),
});

function yearFirst(text: string): Day | undefined {
  const found = ISO.exec(text) ?? YEAR_FIRST.exec(text);
  return found === null ? undefined : dayFrom(found[1], found[2], found[3]);
}

function era(text: string): Day | undefined {
  const found = ERA.exec(text);
  if (found === null) return undefined;
  const before = ERAS[found[1]?.toUpperCase() ?? ''] ?? 0;
  return dayFrom(before + (found[2] === '元' ? 1 : Number(found[2])), found[3], found[4]);
}

/** 3/4/2026 is what the language says; 16/11/2026 can only be one thing. */
function yearLast(text: string, locale: string): Day | undefined {
  const found = YEAR_LAST.exec(text);
  if (found === null) return undefined;
  const [, first, , second, year = ''] = found;
  const monthFirst = Number(second) > 12 || (isMonthFirst(locale) && Number(first) <= 12);
  const whole = year.length === 4 ? Number(year) : Number(year) + (Number(year) < CENTURY_TURN ? 2000 : 1900);
  return monthFirst ? dayFrom(whole, first, second) : dayFrom(whole, second, first);
}

function isMonthFirst(locale: string): boolean {
  const order = new Intl.DateTimeFormat(locale, { year: 'numeric', month: 'numeric', day: 'numeric' })
    .formatToParts(0)
    .map(({ type }) => type);
  return order.indexOf('month') < order.indexOf('day');
}

/** `16 Nov 2026` or `November 16, 2026`, in the person's language or English, as the grid itself shows days. */
function withMonthName(text: string, locale: string): Day | undefined {
  const words = text.toLowerCase().match(/[\p{L}]+\.?|\d+/gu) ?? [];
  const numbers = words.filter((word) => /^\d/.test(word));
  const month = words.map((word) => monthNames(locale).get(word.replace('.', ''))).find((found) => found !== undefined);
  const year = numbers.find((word) => word.length === 4);
  const day = numbers.find((word) => word.length <= 2);
  if (month === undefined || year === undefined || day === undefined || numbers.length !== 2) return undefined;
  return dayFrom(year, month, day);
}

const known = new Map<string, ReadonlyMap<string, number>>();

function monthNames(locale: string): ReadonlyMap<string, number> {
  const before = known.get(locale);
  if (before !== undefined) return before;
  const names = new Map<string, number>();
  for (const each of ['en', locale])
    for (const length of ['long', 'short'] as const)
      for (let month = 1; month <= 12; month += 1) {
        const name = new Intl.DateTimeFormat(each, { month: length, timeZone: 'UTC' }).format(
          Date.UTC(2026, month - 1),
        );
        names.set(name.toLowerCase().replace('.', ''), month);
      }
  known.set(locale, names);
  return names;
}

/** Undefined for a day that no calendar has, such as 30 February. */
function isoOf({ year, month, day }: Day): string | undefined {
  if (year < 1 || year > 9999) return undefined;
  const text = `${String(year).padStart(4, '0')}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`;
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text) ? text : undefined;
}

export function readDate(text: string, writing: Writing): Read {
  const day = dayOf(text, writing);
  return day === undefined ? { problem: 'date' } : { value: { type: 'Date', value: day } };
}
