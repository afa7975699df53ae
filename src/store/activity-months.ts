// The tables that the activity log lies in: one for each month, so that a month goes at once and not entry by entry. Keys
// begin with their millisecond, hence a month is a span of keys. The table's name says which: `activity_2026_11`,
// `activity_until_2026_12` for all that an earlier server had written before that month, and `activity_rest` for what
// belongs to no month that has been made, so that no entry fails for want of one.

import { monthAfter, monthName, monthNamed, monthOf, monthsToKeep } from '../domain/activity-months.ts';
import { firstUuidAt } from '../domain/ids.ts';
import { readTime } from './clock.ts';
import type { Reader, Transaction, Writer } from './db.ts';
import { isLocked } from './sqlstate.ts';

export interface ActivityPart {
  readonly table: string;
  /** Milliseconds since 1970; infinite where the part has no bound. */
  readonly from: number;
  readonly to: number;
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

function partNamed(table: string): ActivityPart | undefined {
  const [, until, name = ''] = /^activity_(until_)?(.*)$/.exec(table) ?? [];
  const month = monthNamed(name);
  if (month === undefined) return undefined;
  if (until !== undefined) return { table, from: Number.NEGATIVE_INFINITY, to: month };
  return { table, from: month, to: monthAfter(month) };
}

/** Those of the months to keep that no part covers. */
export const missingMonths = (parts: readonly ActivityPart[], now: number): number[] =>
  monthsToKeep(now).filter((month) => !parts.some(({ from, to }) => from <= month && month < to));

/** Whoever waits for a table makes all who come later wait behind it; so this waits briefly, and comes again. */
const OTHERS_WAIT_MS = 100;
const ATTEMPTS = 6;
/** Making a month looks through the rest, for which those wait who write there. */
const STATEMENT_MS = 1_000;

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

/** Writers go on meanwhile, unless they write to the rest. */
export function makeMonths(writer: Writer, now: number): Promise<void> {
  return briefly(writer, async (tx) => {
    // Of several who make months one at a time does; writers are not kept out by it.
    await tx.rows(`lock table ${tx.schema}.activity in share update exclusive mode`);
    await makeMissing(tx, now);
  });
}

async function makeMissing(tx: Transaction, now: number): Promise<void> {
  for (const month of missingMonths(await activityParts(tx), now)) await makeMonth(tx, month);
}

/** So many entries are moved within some tens of milliseconds. Where there are more, the month stays in the rest. */
export const MOVED_MAX = 10_000;

async function makeMonth(tx: Transaction, month: number): Promise<void> {
  const rest = `${tx.schema}.${REST}`;
  const table = `${tx.schema}.activity_${monthName(month)}`;
  const span = [firstUuidAt(month), firstUuidAt(monthAfter(month))];
  await tx.rows(`lock table ${rest} in access exclusive mode`);
  const strays = await tx.rows(`select 1 from ${rest} where id >= $1 and id < $2 limit ${MOVED_MAX + 1}`, span);
  if (strays.length > MOVED_MAX) return;
  await tx.rows(`create table ${table} (id uuid primary key, entry text not null)`);
  if (strays.length > 0) {
    await tx.rows(
      `insert into ${table} (id, entry) select id, entry from ${rest} where id >= $1 and id < $2 returning id`,
      span,
    );
    await tx.rows(`delete from ${rest} where id >= $1 and id < $2`, span);
  }
  await tx.rows(`alter table ${tx.schema}.activity attach partition ${table}
    for values from ('${span[0]}') to ('${span[1]}')`);
}

export function dropPart(writer: Writer, { table }: ActivityPart): Promise<void> {
  return briefly(writer, async (tx) => {
    await tx.rows(`drop table if exists ${tx.schema}.${table}`);
  });
}

export const TRIM_PAGE = 5_000;

/**
 * Where months do not go as a whole: deletes up to a page of entries before that time, oldest first, from the rest or
 * from what an earlier server had written. How many it were.
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

/**
 * Ends what the migration has begun: what was written before is a part that ends with the present month, or goes when
 * it is nothing. Then the months are made, if there is anything to write in them.
 */
export async function settleActivity(tx: Transaction, { logs }: { logs: boolean }): Promise<void> {
  const now = await readTime(tx);
  const former = `${tx.schema}.activity_until`;
  const found = await tx.rows(`select 1 from ${former} limit 1`);
  if (found.length === 0) await tx.rows(`drop table ${former}`);
  else await attachFormer(tx, { former, end: monthAfter(monthOf(now)) });
  if (logs) await makeMissing(tx, now);
}

/**
 * The database reads all of it, to be sure of the bound. By a clock that had run ahead something may be beyond it:
 * that goes to the rest, or where there are to be months from there to these.
 */
async function attachFormer(tx: Transaction, { former, end }: { former: string; end: number }): Promise<void> {
  const bound = firstUuidAt(end);
  await tx.rows(
    `insert into ${tx.schema}.activity (id, entry) select id, entry from ${former} where id >= $1 returning id`,
    [bound],
  );
  await tx.rows(`delete from ${former} where id >= $1`, [bound]);
  const name = `activity_until_${monthName(end)}`;
  await tx.rows(`alter table ${former} rename to ${name}`);
  await tx.rows(`alter index ${former}_pkey rename to ${name}_pkey`);
  await tx.rows(`alter table ${tx.schema}.activity attach partition ${tx.schema}.${name}
    for values from (minvalue) to ('${bound}')`);
}
