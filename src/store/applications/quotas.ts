// The count of each group of operations in the clock hour, from which servers take leases and give back what is left.

import { freshLease, HOUR_MS, hourOf, LEASE_DIVISOR } from '../../domain/quota.ts';
import type { QuotaGroup } from '../../wire/publish-document.ts';
import type { Reader, Writer } from '../database/handles.ts';

export interface LeaseRequest {
  readonly group: QuotaGroup;
  /** For the whole hour. */
  readonly quota: number;
  /** How many requests wait for it. */
  readonly asked: number;
  /** Milliseconds since 1970. */
  readonly now: number;
}

export interface Lease {
  /** Of which counting it is, milliseconds since 1970. The hour is that in which it began: a server that is behind is told. */
  readonly since: number;
  /** At least one. */
  readonly granted: number;
  /** In the hour by all servers, this lease included. */
  readonly taken: number;
}

/** Nobody's clock is so much ahead: a count that began later was begun by mistake, and would stand until its time comes. */
const endOfTime = (now: number): Date => new Date(hourOf(now) + 2 * HOUR_MS);

/**
 * Undefined when nothing is left. One statement, so that of any number of servers none is given what another has. Where
 * nothing is left it writes nothing.
 */
export async function takeLease(
  writer: Writer,
  { group, quota, asked, now }: LeaseRequest,
): Promise<Lease | undefined> {
  const over = '(q.since < $6 or q.since >= $7)';
  const lease = `least($4 - q.taken, greatest($5, ($4 - q.taken) / ${LEASE_DIVISOR}))`;
  const rows = await writer.write(
    `insert into ${writer.schema}.quotas as q (quota_group, since, taken, granted) values ($1, $2, $3, $3)
     on conflict (quota_group) do update set
       since = case when ${over} then excluded.since else q.since end,
       taken = case when ${over} then excluded.taken else q.taken + ${lease} end,
       granted = case when ${over} then excluded.granted else ${lease} end
     where ${over} or q.taken < $4
     returning since, granted, taken`,
    [group, new Date(now), freshLease(quota, asked), quota, asked, new Date(hourOf(now)), endOfTime(now)],
  );
  const [row] = rows as [Date, number, number][];
  // An hour that begins with a quota of none is begun nevertheless.
  return row && row[1] > 0 ? { since: row[0].getTime(), granted: row[1], taken: row[2] } : undefined;
}

/** Nothing where another counting has begun. To be tried once: whether a try that failed has counted is not known. */
export async function giveBack(
  writer: Writer,
  { group, since, unused }: { group: QuotaGroup; since: number; unused: number },
): Promise<void> {
  await writer.write(
    `update ${writer.schema}.quotas set taken = taken - $3 where quota_group = $1 and since = $2 returning taken`,
    [group, new Date(since), unused],
  );
}

/** What is taken in the hour of `now`, of the groups of which something is. */
export async function takenByGroup(reader: Reader, now: number): Promise<Map<QuotaGroup, number>> {
  const rows = await reader.rows(
    `select quota_group, taken from ${reader.schema}.quotas where since >= $1 and since < $2`,
    [new Date(hourOf(now)), endOfTime(now)],
  );
  return new Map(rows as [QuotaGroup, number][]);
}
