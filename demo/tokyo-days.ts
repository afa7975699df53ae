// Days and hours of the application's time zone. Japan has had no summer time since 1951, so an offset is enough.

const OFFSET = '+09:00';
const OFFSET_MS = 9 * 3_600_000;
const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

/** `YYYY-MM-DD` in Tokyo. */
export function dayOf(ms: number): string {
  return new Date(ms + OFFSET_MS).toISOString().slice(0, 10);
}

export function addDays(day: string, days: number): string {
  return new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10);
}

export function instantAt(day: string, minutesOfDay: number): number {
  return Date.parse(`${day}T00:00:00${OFFSET}`) + minutesOfDay * MINUTE_MS;
}

export function afterMinutes(ms: number, minutes: number): number {
  return ms + minutes * MINUTE_MS;
}

/** The day itself, or the Friday before where it is a weekend. */
export function workdayOnOrBefore(day: string): string {
  const weekday = new Date(day).getUTCDay();
  if (weekday === 6) return addDays(day, -1);
  return weekday === 0 ? addDays(day, -2) : day;
}
