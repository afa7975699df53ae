// The months of the activity log, by the calendar of UTC. A month is named by its first millisecond.

/** How many months are kept ready besides the present one: so long may nobody look after them. */
const MONTHS_AHEAD = 2;

export function monthOf(milliseconds: number): number {
  const date = new Date(milliseconds);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1);
}

export function monthAfter(month: number): number {
  const date = new Date(month);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
}

/** The present month and those that are kept ready. */
export function monthsToKeep(now: number): number[] {
  const months = [monthOf(now)];
  while (months.length <= MONTHS_AHEAD) months.push(monthAfter(months.at(-1)!));
  return months;
}

/** `2026_11` */
export const monthName = (month: number): string => new Date(month).toISOString().slice(0, 7).replace('-', '_');

/** Undefined for what is no name of a month. */
export function monthNamed(name: string): number | undefined {
  const [, year, month] = /^(\d{4})_(0[1-9]|1[0-2])$/.exec(name) ?? [];
  return year === undefined ? undefined : Date.UTC(Number(year), Number(month) - 1, 1);
}
