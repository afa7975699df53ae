import type { Read } from './reading.ts';

const CLOCK = /^(午前|午後|[ap]\.?m\.?)?\s*(\d{1,2})(?:[:.](\d{2})(?:[:.](\d{2}))?)?\s*([ap]\.?m\.?)?$/i;
const JAPANESE = /^(午前|午後)?\s*(\d{1,2})時(?:(\d{1,2})分(?:(\d{1,2})秒)?)?$/;

const two = (number: number): string => String(number).padStart(2, '0');

/** A time of day as an ISO text, or undefined. */
export function timeOf(text: string): string | undefined {
  const plain = text.normalize('NFKC').trim();
  const found = JAPANESE.exec(plain) ?? CLOCK.exec(plain);
  if (found === null) return undefined;
  const half = (found[1] ?? found[5])?.toLowerCase().replaceAll('.', '');
  const [hour, minute, second] = [found[2], found[3] ?? 0, found[4] ?? 0].map(Number) as [number, number, number];
  // A bare number is no time of day.
  if (found[3] === undefined && half === undefined && !plain.includes('時')) return undefined;
  const hours = hourOf(hour, half);
  if (hours === undefined || minute > 59 || second > 59) return undefined;
  return `${two(hours)}:${two(minute)}:${two(second)}`;
}

/** 12 am is midnight; 午後0時 and 12 pm are noon. */
function hourOf(hour: number, half: string | undefined): number | undefined {
  if (half === undefined) return hour > 23 ? undefined : hour;
  if (hour > 12) return undefined;
  return (hour % 12) + (half === 'pm' || half === '午後' ? 12 : 0);
}

export function readTime(text: string): Read {
  const time = timeOf(text);
  return time === undefined ? { problem: 'time' } : { value: { type: 'Time', value: time } };
}
