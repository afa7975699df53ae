// Dates in queries, the slow and simple way: an instant is written out as the clock on the wall of the zone shows it,
// and the texts are compared as far as the query wrote them. What the text of the language leaves open throws.

export class LeftOpen extends Error {}

/** Where an instant lies: before the span that a term stands for, within, or behind it. */
export type Side = -1 | 0 | 1;
export type Span = (instant: number) => Side;

export interface Clock {
  readonly zone: string;
  readonly now: number;
  /** Whether words such as `today` mean dates. */
  readonly words: boolean;
}

const formats = new Map<string, Intl.DateTimeFormat>();
const written = new Map<string, string>();

/** `2024-03-10T01:59:59.999`, as the zone's clock shows the instant. */
export function wallClock(instant: number, zone: string): string {
  const key = `${zone} ${instant}`;
  const known = written.get(key);
  if (known !== undefined) return known;
  let format = formats.get(zone);
  if (format === undefined) {
    const two = '2-digit';
    const fields = { year: 'numeric', month: two, day: two, hour: two, minute: two, second: two } as const;
    format = new Intl.DateTimeFormat('en-US', { timeZone: zone, calendar: 'gregory', hourCycle: 'h23', ...fields });
    formats.set(zone, format);
  }
  const parts = Object.fromEntries(format.formatToParts(instant).map(({ type, value }) => [type, value]));
  const { year = '', month, day, hour, minute, second } = parts;
  const milliseconds = String(((instant % 1000) + 1000) % 1000).padStart(3, '0');
  const text = `${year.padStart(4, '0')}-${month}-${day}T${hour}:${minute}:${second}.${milliseconds}`;
  written.set(key, text);
  return text;
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
const UNITS: Readonly<Record<string, number>> = { m: MINUTE, h: HOUR, d: DAY, w: 7 * DAY };

/** All instants at which the zone's clock shows this: none in the hour that is left out, two in one that repeats. */
export function instantsOf(wall: string, zone: string): number[] {
  const asUtc = Date.parse(`${padded(wall)}Z`);
  const found: number[] = [];
  for (let offset = 14 * HOUR; offset >= -12 * HOUR; offset -= 15 * MINUTE) {
    if (wallClock(asUtc - offset, zone) === padded(wall)) found.push(asUtc - offset);
  }
  return found;
}

const padded = (wall: string) => wall + '0000-01-01T00:00:00.000'.slice(wall.length);

interface Offset {
  readonly count: number;
  readonly unit: string;
}

/** The wall clock moved on; as precise as before. */
export function shiftWall(wall: string, { count, unit }: Offset): string {
  const length = unit === 'm' || unit === 'h' ? Math.max(wall.length, 16) : wall.length;
  if (length !== wall.length) throw new LeftOpen('hours from a whole day');
  const date = new Date(`${padded(wall)}Z`);
  const step = UNITS[unit];
  if (step !== undefined) return new Date(date.getTime() + count * step).toISOString().slice(0, length);
  const day = date.getUTCDate();
  date.setUTCDate(1);
  date.setUTCMonth(date.getUTCMonth() + count * (unit === 'y' ? 12 : 1));
  const monthEnd = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
  date.setUTCDate(Math.min(day, monthEnd));
  return date.toISOString().slice(0, length);
}

const ISO = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d(?::\d\d(?:\.\d{3})?)?)(Z|[+-]\d\d:\d\d)?)?(?:([+-]\d+)(mo|[mhdwy]))?$/;
const WORD = /^(today|yesterday|tomorrow|now)(?:([+-]\d+)(mo|[mhdwy]))?$/;
const PERIOD = /^\d{4}(?:-\d\d)?$/;
const WORD_DAYS: Readonly<Record<string, number>> = { yesterday: -1, today: 0, tomorrow: 1 };

const offsetOf = (count: string | undefined, unit: string | undefined): Offset | undefined =>
  count === undefined || unit === undefined ? undefined : { count: Number(count), unit };

/** The last terms read: each is compared with the values of many records. */
const lastRead = new Map<string, Clock & { readonly span: Span | undefined }>();
const LAST_READ_MAX = 1_000;

/** The span of instants that a term stands for; undefined when it cannot be read as a date or date-time. */
export function readMoment(text: string, clock: Clock): Span | undefined {
  const { zone, now, words } = clock;
  const last = lastRead.get(text);
  if (last?.zone === zone && last.now === now && last.words === words) return last.span;
  const span = readSpan(text, clock);
  if (lastRead.size >= LAST_READ_MAX) lastRead.clear();
  lastRead.set(text, { zone, now, words, span });
  return span;
}

function readSpan(text: string, clock: Clock): Span | undefined {
  const word = clock.words ? WORD.exec(text) : null;
  if (word?.[1] === 'now') return readNow(offsetOf(word[2], word[3]), clock);
  if (word !== null) return spanOfWall(readDate(text, clock) ?? '', clock.zone);
  if (clock.words && PERIOD.test(text)) return exists(text) ? spanOfWall(text, clock.zone) : undefined;
  const match = ISO.exec(text);
  if (match === null) return undefined;
  const [, date = '', time, zone] = match;
  const offset = offsetOf(match[4], match[5]);
  const wall = time === undefined ? date : `${date}T${time}`;
  if (!exists(wall) || (zone !== undefined && zone !== 'Z' && !exists(`2000-01-01T${zone.slice(1)}`))) return undefined;
  if (zone === undefined) return spanOfWall(offset === undefined ? wall : shiftWall(wall, offset), clock.zone);
  const start = Date.parse(`${padded(wall)}${zone}`);
  const step = offset === undefined ? 0 : UNITS[offset.unit];
  if (step === undefined) throw new LeftOpen('months from a date-time with an offset from UTC');
  return spanOfInstants(start + step * (offset?.count ?? 0), { 16: MINUTE, 19: 1000 }[wall.length] ?? 1);
}

function readNow(offset: Offset | undefined, { now, zone }: Clock): Span {
  if (offset === undefined) return spanOfInstants(now, 1);
  const step = UNITS[offset.unit];
  if (step !== undefined) return spanOfInstants(now + offset.count * step, 1);
  const [instant] = instantsOf(shiftWall(wallClock(now, zone), offset), zone);
  if (instant === undefined) throw new LeftOpen('a time that the clock leaves out');
  return spanOfInstants(instant, 1);
}

const spanOfInstants =
  (start: number, length: number): Span =>
  (instant) =>
    instant < start ? -1 : instant < start + length ? 0 : 1;

function spanOfWall(wall: string, zone: string): Span {
  // A whole day needs no midnight: it is every instant at which the calendar on the wall shows it.
  if (wall.length > 10 && instantsOf(wall, zone).length !== 1) throw new LeftOpen('a time that is not there just once');
  return (instant) => {
    const shown = wallClock(instant, zone).slice(0, wall.length);
    return shown < wall ? -1 : shown === wall ? 0 : 1;
  };
}

/** `2024-02-30` and `24:00` do not. */
function exists(wall: string): boolean {
  const date = new Date(`${padded(wall)}Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(wall) && !wall.startsWith('0000');
}

/** The day, month or year that a term stands for in a Date column. */
export function readDate(text: string, clock: Clock): string | undefined {
  const word = clock.words ? WORD.exec(text) : null;
  if (word !== null) {
    const today = wallClock(clock.now, clock.zone).slice(0, 10);
    const day = shiftWall(today, { count: WORD_DAYS[word[1] ?? ''] ?? 0, unit: 'd' });
    const offset = offsetOf(word[2], word[3]);
    return offset === undefined ? day : shiftWall(day, offset);
  }
  if (clock.words && PERIOD.test(text)) return exists(text) ? text : undefined;
  const match = ISO.exec(text);
  const [, date = '', time] = match ?? [];
  if (match === null || time !== undefined || !exists(date)) return undefined;
  const offset = offsetOf(match[4], match[5]);
  return offset === undefined ? date : shiftWall(date, offset);
}

/** `10:30` or `10:30:15`, as it is written. */
export function readTime(text: string): string | undefined {
  return /^\d\d:\d\d(?::\d\d)?$/.test(text) && exists(`2000-01-01T${text}`) ? text : undefined;
}
