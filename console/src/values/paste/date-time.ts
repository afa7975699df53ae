import { localText, momentOf } from '../../views/days.ts';
import { dayOf } from './date.ts';
import type { Read, Writing } from './reading.ts';
import { timeOf } from './time.ts';

/** With a zone: a moment wherever it is read. */
const EXACT = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?\s*(?:Z|[+-]\d{2}:?\d{2})$/i;

/** Without a zone it is the application's, and a day alone begins at midnight there. */
export function readDateTime(text: string, writing: Writing): Read {
  const plain = text.normalize('NFKC').trim();
  const moment = EXACT.test(plain) ? new Date(plain.replace(' ', 'T').replace(/\s+/, '')) : localMoment(plain, writing);
  if (moment === undefined || Number.isNaN(moment.getTime())) return { problem: 'dateTime' };
  return { value: { type: 'DateTime', value: moment.toISOString() } };
}

function localMoment(text: string, writing: Writing): Date | undefined {
  // The time may have spaces of its own (3:00 pm), and so may the day (16 Nov 2026).
  const breaks = [...text.matchAll(/[\sT,]+|(?<=日)/g)].map(
    ({ index, 0: gap }) => [index, index + gap.length] as const,
  );
  for (const [end, start] of [[text.length, text.length] as const, ...breaks]) {
    const day = dayOf(text.slice(0, end), writing);
    const time = start === text.length ? '00:00:00' : timeOf(text.slice(start));
    if (day !== undefined && time !== undefined) return momentOf(`${day}T${time}`, writing.timeZone);
  }
  return undefined;
}

/** As spreadsheets take it for a moment. */
export const writeDateTime = (at: string, { timeZone }: Writing): string =>
  localText(new Date(at), timeZone).slice(0, 19).replace('T', ' ');
