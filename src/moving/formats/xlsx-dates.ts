// Dates in Excel files: numbers of days whose format says that they are dates.

import { DAY_MS } from '../../domain/dates/days.ts';
import type { SheetDate } from './table.ts';

export type DateForm = 'date' | 'time' | 'dateTime';

/** The formats that every file has without naming them; 27 to 36 and 50 to 58 are those of East Asia. */
const BUILT_IN: Readonly<Record<number, DateForm>> = {
  ...Object.fromEntries([14, 15, 16, 17, ...range(27, 36), ...range(50, 58)].map((id) => [id, 'date' as const])),
  ...Object.fromEntries([18, 19, 20, 21, 45, 46, 47].map((id) => [id, 'time' as const])),
  22: 'dateTime',
};

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}

export function dateForm(formatId: number, code: string | undefined): DateForm | undefined {
  if (code === undefined) return BUILT_IN[formatId];
  // Colours, conditions and currencies stand in brackets, other letters in quotes or after a backslash.
  const bare = code.replaceAll(/"[^"]*"|\\.|_.|\*.|\[(?![hms]+\])[^\]]*\]/gi, '').split(';')[0] ?? '';
  if (/general/i.test(bare)) return undefined;
  const hasTime = /[hs]/i.test(bare);
  const hasDate = /[yd]|m/i.test(hasTime ? bare.replaceAll(/m/gi, '') : bare) || (hasTime && /[yd]/i.test(bare));
  if (hasDate && hasTime) return 'dateTime';
  return hasDate ? 'date' : hasTime ? 'time' : undefined;
}

/** Day 0 of the two calendars that Excel has, as a day since 1970. */
const DAYS_BEFORE_1970 = { 1900: 25_569, 1904: 24_107 } as const;

/** As text without a zone. Undefined for numbers that are no date, such as negative ones. */
export function dateOf(serial: number, form: DateForm, calendar: 1900 | 1904): string | undefined {
  if (!(serial >= 0 && serial < 2_958_466)) return undefined;
  // Lotus 1-2-3 took 1900 for a leap year, and Excel still does: day 60 does not exist.
  const shift = calendar === 1900 && serial < 60 && serial >= 1 ? 1 : 0;
  const ms = Math.round((serial + shift - DAYS_BEFORE_1970[calendar]) * DAY_MS);
  const text = new Date(ms).toISOString();
  const [day = '', clock = ''] = text.slice(0, -1).split('T');
  const time = clock.endsWith('.000') ? clock.slice(0, 8) : clock;
  if (form === 'time' && serial < 1) return time;
  return form === 'date' && Number.isInteger(serial) ? day : `${day}T${time}`;
}

/** The number of a date or time; undefined before March 1900, where the calendars disagree. */
export function serialOf({ kind, text }: SheetDate): number | undefined {
  if (kind === 'time') return Date.parse(`1970-01-01T${text}Z`) / DAY_MS;
  const serial = Date.parse(`${text}T00:00:00Z`) / DAY_MS + DAYS_BEFORE_1970[1900];
  return serial > 60 ? serial : undefined;
}
