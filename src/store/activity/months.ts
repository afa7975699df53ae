// The partitions of the activity log, one for each month, so that a month is dropped at once instead of entry by entry.
// Keys begin with their millisecond, so a month is a range of keys. The partition of a month is named `activity_2026_11`. The
// default partition `activity_rest` takes entries of months that have none. When it has become too large to be moved, it
// becomes a partition of its own: `activity_2026_11_until_2027_02`, or `activity_until_2026_12` if none precedes it.
// A short log has no months: for each partition that is created PostgreSQL reads all constraints of the database, which are
// more than a hundred for each application.

import { monthAfter, monthName, monthsToKeep, parseMonthName } from '../../domain/activity/activity-months.ts';
import { firstUuidAt } from '../../domain/ids.ts';
import { mayDestroy } from '../database/backup-locks.ts';
import { isLocked } from '../database/database-errors.ts';
import type { Reader, Transaction, Writer } from '../database/handles.ts';

interface Span {
  /** Milliseconds since 1970; infinite where there is no bound. */
  readonly from: number;
  readonly to: number;
}

export interface ActivityPartition extends Span {
  readonly table: string;
}

const DEFAULT_PARTITION = 'activity_rest';

/** Without the default partition. */
export async function activityPartitions(reader: Pick<Reader, 'schema' | 'rows'>): Promise<ActivityPartition[]> {
  const rows = await reader.rows(
    `select c.relname::text from pg_inherits i join pg_class c on c.oid = i.inhrelid
     where i.inhparent = $1::regclass order by 1`,
    [`${reader.schema}.activity`],
  );
  return rows.flatMap(([table]) => parsePartitionName(table as string) ?? []);
}

/** Of one month, of several, or of all months before one. */
function parsePartitionName(table: string): ActivityPartition | undefined {
  const [, first, until] = /^activity_(\d{4}_\d\d)?_?(?:until_(\d{4}_\d\d))?$/.exec(table) ?? [];
  if (first === undefined && until === undefined) return undefined;
  const from = first === undefined ? Number.NEGATIVE_INFINITY : parseMonthName(first);
  const to = until === undefined ? monthAfter(from!) : parseMonthName(until);
  return from === undefined || to === undefined ? undefined : { table, from, to };
}

function partitionName({ from, to }: Span): string {
  if (from === Number.NEGATIVE_INFINITY) return `activity_until_${monthName(to)}`;
  const until = to === monthAfter(from) ? '' : `_until_${monthName(to)}`;
  return `activity_${monthName(from)}${until}`;
}

/** The months to keep ready that no partition covers. */
const missingMonths = (partitions: readonly ActivityPartition[], now: number): number[] =>
  monthsToKeep(now).filter((month) => !partitions.some(({ from, to }) => from <= month && month < to));

/** A waiting lock request blocks all later ones, so wait briefly and try again. */
const LOCK_TIMEOUT_MS = 100;
const ATTEMPTS = 6;
/** Creating a month scans the default partition, which blocks writers to it. It is large only after long neglect. */
const STATEMENT_TIMEOUT_MS = 30_000;

async function withShortLocks<T>(writer: Writer, work: (tx: Transaction) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await writer.transaction(async (tx) => {
        await tx.rows("set local citus.propagate_set_commands = 'local'");
        await tx.rows(`set local lock_timeout = ${LOCK_TIMEOUT_MS}`);
        await tx.rows(`set local statement_timeout = ${STATEMENT_TIMEOUT_MS}`);
        return work(tx);
      });
    } catch (error) {
      if (!isLocked(error) || attempt === ATTEMPTS) throw error;
      await new Promise((resolve) => setTimeout(resolve, LOCK_TIMEOUT_MS * attempt * Math.random()));
    }
  }
}

/**
 * Each month in a transaction of its own. When one fails the others are still created, and then its error is thrown.
 * Only writers to the default partition are blocked meanwhile.
 */
export async function createMonths(writer: Writer, now: number): Promise<void> {
  const partitions = await activityPartitions(writer);
  if (partitions.length === 0 && !(await isLong(writer))) return;
  const failures: unknown[] = [];
  for (const month of missingMonths(partitions, now)) {
    await withShortLocks(writer, (tx) => createMonth(tx, month)).catch((error: unknown) => failures.push(error));
  }
  if (failures.length > 0) throw failures[0];
}

/** Moving this many entries takes some tens of milliseconds. */
export const MOVED_MAX = 10_000;

/** Of a log without months. */
async function isLong(reader: Reader): Promise<boolean> {
  const rows = await reader.rows(`select 1 from ${reader.schema}.${DEFAULT_PARTITION} offset ${MOVED_MAX} limit 1`);
  return rows.length > 0;
}

/** Does nothing if the month already has a partition. */
async function createMonth(tx: Transaction, month: number): Promise<void> {
  // Serializes the nodes that create months without blocking writers.
  await tx.rows(`lock table ${tx.schema}.activity in share update exclusive mode`);
  const partitions = await activityPartitions(tx);
  if (partitions.some(({ from, to }) => from <= month && month < to)) return;
  const span = { from: month, to: monthAfter(month) };
  await tx.rows(`lock table ${tx.schema}.${DEFAULT_PARTITION} in access exclusive mode`);
  if (await hasFewStrays(tx, span)) await attachMonth(tx, span);
  else await attachDefaultPartition(tx, spanOfDefaultPartition(partitions, span));
}

async function attachMonth(tx: Transaction, span: Span): Promise<void> {
  const table = `${tx.schema}.${partitionName(span)}`;
  await tx.rows(`create table ${table} (id uuid primary key, entry text not null)`);
  await move(tx, `${tx.schema}.${DEFAULT_PARTITION}`, { to: table, span });
  await attach(tx, table, span);
}

/** Begins where the previous partition ends: all entries of the default partition are newer. */
function spanOfDefaultPartition(partitions: readonly ActivityPartition[], { from: month, to }: Span): Span {
  return {
    from: Math.max(
      Number.NEGATIVE_INFINITY,
      ...partitions.map((partition) => partition.to).filter((end) => end <= month),
    ),
    to,
  };
}

/**
 * When too much would have to be moved, the default partition becomes a partition of its own, and the entries outside its
 * bounds move to a new default. PostgreSQL scans it to verify the bounds, which blocks writers: some seconds for millions of entries.
 */
async function attachDefaultPartition(tx: Transaction, span: Span): Promise<void> {
  const rest = `${tx.schema}.${DEFAULT_PARTITION}`;
  const name = partitionName(span);
  await tx.rows(`alter table ${tx.schema}.activity detach partition ${rest}`);
  await tx.rows(`alter table ${rest} rename to ${name}`);
  await tx.rows(`alter index ${rest}_pkey rename to ${name}_pkey`);
  await tx.rows(`create table ${rest} partition of ${tx.schema}.activity default`);
  await move(tx, `${tx.schema}.${name}`, { to: rest, span, outside: true });
  await attach(tx, `${tx.schema}.${name}`, span);
}

const FIRST_KEY = '00000000-0000-0000-0000-000000000000';

function keysOf({ from, to }: Span): [string, string] {
  return [from === Number.NEGATIVE_INFINITY ? FIRST_KEY : firstUuidAt(from), firstUuidAt(to)];
}

async function hasFewStrays(tx: Transaction, span: Span): Promise<boolean> {
  const rows = await tx.rows(
    `select 1 from ${tx.schema}.${DEFAULT_PARTITION} where id >= $1 and id < $2 limit ${MOVED_MAX + 1}`,
    keysOf(span),
  );
  return rows.length <= MOVED_MAX;
}

interface Move {
  readonly to: string;
  readonly span: Span;
  /** Move the entries outside the span instead. */
  readonly outside?: boolean;
}

async function move(tx: Transaction, table: string, { to, span, outside = false }: Move): Promise<void> {
  const where = outside ? '(id < $1 or id >= $2)' : 'id >= $1 and id < $2';
  await tx.rows(
    `insert into ${to} (id, entry) select id, entry from ${table} where ${where} returning 1`,
    keysOf(span),
  );
  await tx.rows(`delete from ${table} where ${where}`, keysOf(span));
}

async function attach(tx: Transaction, table: string, span: Span): Promise<void> {
  await tx.rows(`alter table ${tx.schema}.activity attach partition ${table} ${boundsOf(span)}`);
}

function boundsOf({ from, to }: Span): string {
  const first = from === Number.NEGATIVE_INFINITY ? 'minvalue' : `'${firstUuidAt(from)}'`;
  return `for values from (${first}) to ('${firstUuidAt(to)}')`;
}

/** Those that a backup had, in a new schema. */
export async function createPartitions(tx: Transaction, names: readonly string[]): Promise<void> {
  for (const name of names) {
    const span = parsePartitionName(name);
    if (span === undefined) throw new Error(`${name} is no partition of the activity log`);
    await tx.rows(`create table ${tx.schema}.${span.table} (id uuid primary key, entry text not null)`);
    await attach(tx, `${tx.schema}.${span.table}`, span);
  }
}

/** Leaves it to a later round while a backup may still have to copy it. */
export function dropPartition(writer: Writer, { table }: ActivityPartition): Promise<void> {
  return withShortLocks(writer, async (tx) => {
    if (!(await mayDestroy(tx, 'tables'))) return;
    await tx.rows(`drop table if exists ${tx.schema}.${table}`);
  });
}

export const TRIM_PAGE = 5_000;

/**
 * For entries that are not dropped with their month: deletes up to a page of those before that time, oldest first, from the
 * default partition or one that spans several months. Returns their number.
 */
export async function trimPage(
  writer: Writer,
  { before, partition }: { before: number; partition?: ActivityPartition },
): Promise<number> {
  const table = `${writer.schema}.${partition?.table ?? DEFAULT_PARTITION}`;
  const rows = await writer.write(
    `delete from ${table} where id in (select id from ${table} where id < $1 order by id limit ${TRIM_PAGE})
     returning 1`,
    [firstUuidAt(before)],
  );
  return rows.length;
}
