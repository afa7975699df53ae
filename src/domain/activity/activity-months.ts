// The months of the activity log, in UTC. A month is represented by its first millisecond.

/** Months created in advance: the job that creates them may fail for this long without harm. */
const MONTHS_AHEAD = 2;

export function monthOf(milliseconds: number): number {
  const date = new Date(milliseconds);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1);
}

export function monthAfter(month: number): number {
  const date = new Date(month);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
}

/** The current month and those created in advance. */
export function monthsToKeep(now: number): number[] {
  const months = [monthOf(now)];
  while (months.length <= MONTHS_AHEAD) months.push(monthAfter(months.at(-1)!));
  return months;
}

/** `2026_11` */
export const monthName = (month: number): string => new Date(month).toISOString().slice(0, 7).replace('-', '_');

/** Undefined if it is not the name of a month. */
export function parseMonthName(name: string): number | undefined {
  const [, year, month] = /^(\d{4})_(0[1-9]|1[0-2])$/.exec(name) ?? [];
  return year === undefined ? undefined : Date.UTC(Number(year), Number(month) - 1, 1);
}
