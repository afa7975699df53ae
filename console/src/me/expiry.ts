// When a new token ends.

export const LIFETIMES = ['30', '90', '365', 'date', 'never'] as const;
export type Lifetime = (typeof LIFETIMES)[number];

const DAY_MS = 24 * 60 * 60_000;

/** `date` is a day like 2027-01-31: the token works until that day ends where the person is. Undefined for never. */
export function expiryOf(lifetime: Lifetime, date: string, now: number): string | undefined {
  if (lifetime === 'never') return undefined;
  if (lifetime !== 'date') return new Date(now + Number(lifetime) * DAY_MS).toISOString();
  const [year = 0, month = 1, day = 1] = date.split('-').map(Number);
  return new Date(year, month - 1, day + 1).toISOString();
}

/** Whether a day was chosen, and it has not ended. */
export const isFutureDay = (date: string, now: number): boolean =>
  /^\d{4,6}-\d{2}-\d{2}$/.test(date) && Date.parse(expiryOf('date', date, now) ?? '') > now;
