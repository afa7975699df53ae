// The count of each group of operations in the clock hour. Nodes take leases from it and return what they do not use.

import { freshLease, HOUR_MS, hourOf, LEASE_DIVISOR } from '../../domain/quota.ts';
import type { QuotaGroup } from '../../wire/publish-document.ts';
import type { Reader, Writer } from '../database/handles.ts';

export interface LeaseRequest {
  readonly group: QuotaGroup;
  /** For the whole hour. */
  readonly quota: number;
  /** The number of requests that wait for it. */
  readonly asked: number;
  /** Milliseconds since 1970. */
  readonly now: number;
}

export interface Lease {
  /** When the count began, milliseconds since 1970: identifies the count, and tells a node whose clock is slow the hour. */
  readonly since: number;
  /** At least one. */
  readonly granted: number;
  /** In this hour by all nodes, this lease included. */
  readonly taken: number;
}

/** A count that began later comes from a wrong clock. Without this limit it would stay until that time comes. */
const latestStart = (now: number): Date => new Date(hourOf(now) + 2 * HOUR_MS);

/** Undefined if nothing is left; then nothing is written. A single statement, so that leases of several nodes never overlap. */
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
    [group, new Date(now), freshLease(quota, asked), quota, asked, new Date(hourOf(now)), latestStart(now)],
  );
  const [row] = rows as [Date, number, number][];
  // A quota of 0 starts the count of a new hour, too.
  return row && row[1] > 0 ? { since: row[0].getTime(), granted: row[1], taken: row[2] } : undefined;
}

/** Does nothing if another count has begun. Must not be retried: a failed attempt may have been applied. */
export async function giveBack(
  writer: Writer,
  { group, since, unused }: { group: QuotaGroup; since: number; unused: number },
): Promise<void> {
  await writer.write(
    `update ${writer.schema}.quotas set taken = taken - $3 where quota_group = $1 and since = $2 returning taken`,
    [group, new Date(since), unused],
  );
}

/** Operations taken in the hour of `now`, by group; groups without any are absent. */
export async function takenByGroup(reader: Reader, now: number): Promise<Map<QuotaGroup, number>> {
  const rows = await reader.rows(
    `select quota_group, taken from ${reader.schema}.quotas where since >= $1 and since < $2`,
    [new Date(hourOf(now)), latestStart(now)],
  );
  return new Map(rows as [QuotaGroup, number][]);
}
