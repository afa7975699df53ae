// What narrows the activity log down, as it stands in the address: a link shows a colleague the same.

import type { ActivityFilter, RawActivityEntry } from '../../../client/src/main.ts';
import { addDays, dayStart, isDay, localDay } from '../views/days.ts';

export interface ActivityAddress {
  /** The ID of a user, or `operator`. */
  readonly person?: string;
  readonly kind?: string;
  readonly collection?: string;
  readonly record?: string;
  /** Days, `2026-11-16`; both belong to the period. */
  readonly from?: string;
  readonly to?: string;
  /** Previews of pictures are left out unless they are asked for: a page of cards leaves an entry for each. */
  readonly previews?: 'shown';
}

const FORMS: Readonly<Record<keyof ActivityAddress, RegExp>> = {
  person: /^(?:u[a-z0-9]{7}|operator)$/,
  kind: /^[A-Za-z]{1,32}(?:\.[A-Za-z]{1,32})?$/,
  collection: /^t[a-z0-9]{7}$/,
  record: /^r[a-z0-9]{26}$/,
  from: /^\d{4}-\d\d-\d\d$/,
  to: /^\d{4}-\d\d-\d\d$/,
  previews: /^shown$/,
};
const DAYS: readonly string[] = ['from', 'to'];

/** What does not have the right form is left out, so that the server is never asked for it. */
export function readActivityAddress(parameters: Record<string, unknown>): ActivityAddress {
  const read = Object.entries(FORMS).filter(([member, form]) => {
    const text = parameters[member];
    return typeof text === 'string' && form.test(text) && (!DAYS.includes(member) || isDay(text));
  });
  return Object.fromEntries(read.map(([member]) => [member, parameters[member]]));
}

export interface Period {
  readonly startDate?: string;
  readonly endDate?: string;
}

/** As the interface takes it: the end is the first moment after the period. */
export function periodOf({ from, to }: ActivityAddress, zone: string): Period {
  return {
    ...(from === undefined ? {} : { startDate: dayStart(from, zone).toISOString() }),
    ...(to === undefined ? {} : { endDate: dayStart(addDays(to, 1), zone).toISOString() }),
  };
}

export const filterOf = ({ person, kind, collection, record, previews }: ActivityAddress): ActivityFilter => ({
  ...(person === undefined ? {} : { userId: person }),
  ...(kind === undefined ? {} : { kind }),
  ...(collection === undefined ? {} : { collectionId: collection }),
  ...(record === undefined ? {} : { recordId: record }),
  ...(previews === undefined ? { thumbnails: false } : {}),
});

/** Only previews have a size. */
export const isPreview = ({ extra }: Pick<RawActivityEntry, 'extra'>): boolean => extra.size !== undefined;

/** The same choice as the server's, for an export, which has everything of a period. */
export function isWanted(entry: RawActivityEntry, filter: ActivityFilter): boolean {
  const { userId, kind, collectionId, recordId, thumbnails = true } = filter;
  const [type, subType] = kind?.split('.') ?? [];
  return (
    (userId === undefined || entry.user.id === userId) &&
    (type === undefined || entry.type === type) &&
    (subType === undefined || entry.subType === subType) &&
    (collectionId === undefined || entry.collection?.id === collectionId) &&
    (recordId === undefined || entry.extra.recordId === recordId) &&
    (thumbnails || !isPreview(entry))
  );
}

/** A record by its ID, or by its address in the console, which people copy. */
export const recordIn = (text: string): string | undefined =>
  /(?:^|\/)(r[a-z0-9]{26})\/?(?:[?#].*)?$/.exec(text.trim())?.[1];

const DAY_MS = 86_400_000;
/** What the server counts at a time. */
export const COUNTED_DAYS_MAX = 90;
const COUNTED_DAYS = 30;

export interface CountedPeriod {
  readonly start: Date;
  readonly end: Date;
  /** The period is longer than what is counted of it. */
  readonly cut: boolean;
}

/** The period that figures are of: the chosen one or the last days of it. */
export function countedPeriod({ from, to }: ActivityAddress, now: Date, zone: string): CountedPeriod {
  const start = (day: string, daysLater = 0) => dayStart(addDays(day, daysLater), zone);
  const today = localDay(now, zone);
  const last = to ?? (from !== undefined && from > today ? from : today);
  const end = start(last, 1);
  const chosen = from === undefined ? start(last, 1 - COUNTED_DAYS) : start(from);
  // An hour more where clocks were changed within the period would be too long for the server.
  const most = start(last, 1 - COUNTED_DAYS_MAX);
  const earliest =
    end.getTime() - most.getTime() > COUNTED_DAYS_MAX * DAY_MS ? start(last, 2 - COUNTED_DAYS_MAX) : most;
  if (chosen < earliest) return { start: earliest, end, cut: true };
  return { start: chosen < end ? chosen : end, end, cut: false };
}
