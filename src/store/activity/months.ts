// The tables that the activity log lies in: one for each month, so that a month goes at once and not entry by entry. Keys
// begin with their millisecond, hence a month is a span of keys. The table's name says which: `activity_2026_11`,
// and `activity_rest` for what belongs to no month that has been made, so that no entry fails for want of one. A rest that
// has become too large to be moved is made a part of its own: `activity_2026_11_until_2027_02`, or `activity_until_2026_12`
// where no part lies before it.

import { monthAfter, monthName, monthNamed, monthsToKeep } from '../../domain/activity/activity-months.ts';
import { firstUuidAt } from '../../domain/ids.ts';
import type { Reader, Transaction, Writer } from '../database/handles.ts';
import { isLocked } from '../database/sqlstate.ts';

interface Span {
  /** Milliseconds since 1970; infinite where there is no bound. */
  readonly from: number;
  readonly to: number;
}

export interface ActivityPart extends Span {
  readonly table: string;
}

const REST = 'activity_rest';

/** Without the rest, which lies between all others. */
export async function activityParts(reader: Reader): Promise<ActivityPart[]> {
  const rows = await reader.rows(
    `select c.relname::text from pg_inherits i join pg_class c on c.oid = i.inhrelid
     where i.inhparent = $1::regclass order by 1`,
    [`${reader.schema}.activity`],
  );
  return rows.flatMap(([table]) => partNamed(table as string) ?? []);
}

/** Of one month, of several (`activity_2026_11_until_2027_02`), or of all before one. */
function partNamed(table: string): ActivityPart | undefined {
  const [, first, until] = /^activity_(\d{4}_\d\d)?_?(?:until_(\d{4}_\d\d))?$/.exec(table) ?? [];
  if (first === undefined && until === undefined) return undefined;
  const from = first === undefined ? Number.NEGATIVE_INFINITY : monthNamed(first);
  const to = until === undefined ? monthAfter(from!) : monthNamed(until);
  return from === undefined || to === undefined ? undefined : { table, from, to };
}

function partName({ from, to }: Span): string {
  if (from === Number.NEGATIVE_INFINITY) return `activity_until_${monthName(to)}`;
  const until = to === monthAfter(from) ? '' : `_until_${monthName(to)}`;
  return `activity_${monthName(from)}${until}`;
}

/** Those of the months to keep that no part covers. */
export const missingMonths = (parts: readonly ActivityPart[], now: number): number[] =>
  monthsToKeep(now).filter((month) => !parts.some(({ from, to }) => from <= month && month < to));

/** A waiting lock request blocks everyone queued behind it, so wait briefly and try again. */
const OTHERS_WAIT_MS = 100;
const ATTEMPTS = 6;
/** Making a month looks through the rest, for which those wait who write there; it is large only when all went wrong. */
const STATEMENT_MS = 30_000;

async function briefly<T>(writer: Writer, work: (tx: Transaction) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await writer.transaction(async (tx) => {
        await tx.rows("set local citus.propagate_set_commands = 'local'");
        await tx.rows(`set local lock_timeout = ${OTHERS_WAIT_MS}`);
        await tx.rows(`set local statement_timeout = ${STATEMENT_MS}`);
        return work(tx);
      });
    } catch (error) {
      if (!isLocked(error) || attempt === ATTEMPTS) throw error;
      await new Promise((resolve) => setTimeout(resolve, OTHERS_WAIT_MS * attempt * Math.random()));
    }
  }
}

/**
 * Each month in a transaction of its own; when one fails the others are made all the same, and then its error is thrown.
 * Writers go on meanwhile, unless they write to the rest.
 */
export async function makeMonths(writer: Writer, now: number): Promise<void> {
  const failures: unknown[] = [];
  for (const month of missingMonths(await activityParts(writer), now)) {
    await briefly(writer, (tx) => makeMonth(tx, month)).catch((error: unknown) => failures.push(error));
  }
  if (failures.length > 0) throw failures[0];
}

/** For an application that begins to log, inside of `retryOnLockTimeout`: no entry is written before there is a month for it. */
export async function beginMonths(tx: Transaction, { now, waitMs }: { now: number; waitMs: number }): Promise<void> {
  await tx.rows("set local citus.propagate_set_commands = 'local'");
  await tx.rows(`set local lock_timeout = ${waitMs}`);
  for (const month of monthsToKeep(now)) await makeMonth(tx, month);
  await tx.rows('set local lock_timeout = 0');
}

/** So many entries are moved within some tens of milliseconds. */
export const MOVED_MAX = 10_000;
/** Unless somebody else has made it. */
async function makeMonth(tx: Transaction, month: number): Promise<void> {
  // Of several who make months one at a time does; writers are not kept out by it.
  await tx.rows(`lock table ${tx.schema}.activity in share update exclusive mode`);
  const parts = await activityParts(tx);
  if (parts.some(({ from, to }) => from <= month && month < to)) return;
  const span = { from: month, to: monthAfter(month) };
  await tx.rows(`lock table ${tx.schema}.${REST} in access exclusive mode`);
  if (await hasFewStrays(tx, span)) await attachMonth(tx, span);
  else await attachRest(tx, spanOfRest(parts, span));
}

async function attachMonth(tx: Transaction, span: Span): Promise<void> {
  const table = `${tx.schema}.${partName(span)}`;
  await tx.rows(`create table ${table} (id uuid primary key, entry text not null)`);
  await move(tx, `${tx.schema}.${REST}`, { to: table, span });
  await attach(tx, table, span);
}

/** From where the part before it ends: what is in the rest was written since. */
function spanOfRest(parts: readonly ActivityPart[], { from: month, to }: Span): Span {
  return {
    from: Math.max(Number.NEGATIVE_INFINITY, ...parts.map((part) => part.to).filter((end) => end <= month)),
    to,
  };
}

/**
 * Where too much would have to be moved the rest becomes a part itself, and what lies outside of that goes to a new rest.
 * The database reads all of it to be sure of the bounds, and writers wait for that: some seconds for millions of entries.
 */
async function attachRest(tx: Transaction, span: Span): Promise<void> {
  const rest = `${tx.schema}.${REST}`;
  const name = partName(span);
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
    `select 1 from ${tx.schema}.${REST} where id >= $1 and id < $2 limit ${MOVED_MAX + 1}`,
    keysOf(span),
  );
  return rows.length <= MOVED_MAX;
}

interface Moving {
  readonly to: string;
  readonly span: Span;
  /** What is not of the span, instead of what is. */
  readonly outside?: boolean;
}

async function move(tx: Transaction, table: string, { to, span, outside = false }: Moving): Promise<void> {
  const where = outside ? '(id < $1 or id >= $2)' : 'id >= $1 and id < $2';
  await tx.rows(
    `insert into ${to} (id, entry) select id, entry from ${table} where ${where} returning 1`,
    keysOf(span),
  );
  await tx.rows(`delete from ${table} where ${where}`, keysOf(span));
}

async function attach(tx: Transaction, table: string, { from, to }: Span): Promise<void> {
  const first = from === Number.NEGATIVE_INFINITY ? 'minvalue' : `'${firstUuidAt(from)}'`;
  await tx.rows(`alter table ${tx.schema}.activity attach partition ${table}
    for values from (${first}) to ('${firstUuidAt(to)}')`);
}

export function dropPart(writer: Writer, { table }: ActivityPart): Promise<void> {
  return briefly(writer, async (tx) => {
    await tx.rows(`drop table if exists ${tx.schema}.${table}`);
  });
}

export const TRIM_PAGE = 5_000;

/**
 * Where months do not go as a whole: deletes up to a page of entries before that time, oldest first, from the rest or
 * from a part that spans several months. How many it were.
 */
export async function trimPage(
  writer: Writer,
  { before, part }: { before: number; part?: ActivityPart },
): Promise<number> {
  const table = `${writer.schema}.${part?.table ?? REST}`;
  const rows = await writer.write(
    `delete from ${table} where id in (select id from ${table} where id < $1 order by id limit ${TRIM_PAGE})
     returning 1`,
    [firstUuidAt(before)],
  );
  return rows.length;
}
