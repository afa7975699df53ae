// Writes a change and its activity entries atomically. Only this file distinguishes the engines here and chains
// data-modifying CTEs: for one row and its entry at 16 connections, plain PostgreSQL was measured at 7,200/s with a
// pipelined transaction and 11,600/s with the CTE, while on Citus the CTE is ten times slower. Creates,
// updates and deletes of one record take a shorter way there (operations/records/cluster-writes).

import type { Engine, Transaction, Writer } from '../database/handles.ts';
import { LOGGED_WRITE } from '../database/prepared.ts';
import { RecentTexts } from '../database/recent-texts.ts';
import { plain, type Row, type Statement } from '../database/statements.ts';
import { plainArray, textArray } from '../database/text-arrays.ts';
import { insertEntries, insertEntriesOfCreated, type SubjectEntry } from './activity.ts';

export interface Change extends Statement {
  /**
   * The table that it inserts into, if the subjects are rows of it with new identifiers: afterwards the table has exactly those
   * that were written. So on a cluster the entries can be sent along, in one round trip. An update or a delete that may have
   * been refused leaves no such trace, and its entries wait for its rows.
   */
  readonly creates?: string;
  /** On behalf of several requests: if it meets another transaction's lock it fails soon, and each request waits for itself. */
  readonly isJoint?: true;
}

/**
 * Runs `change`, which returns rows that begin with a subject's identifier, and writes the entries of exactly those
 * subjects. Without entries it is one plain statement.
 */
export async function loggedWrite(writer: Writer, change: Change, entries: readonly SubjectEntry[]): Promise<Row[]> {
  if (writer.engine === 'citus' && (entries.length > 0 || change.isJoint)) {
    return loggedTransaction(writer, change, entries);
  }
  const statement = entries.length === 0 ? change : asOneStatement(writer.schema, change, entries);
  return writer.write(statement.text, statement.params);
}

const LOCKS_MS = 100;

/**
 * For a joint change: a part of its `from`, which is evaluated before any row is written, and of its `where`. A cluster takes no
 * such function in a change, and is told before it.
 */
export const pacedLocks = (engine: Engine): { readonly from: string; readonly where: string } =>
  engine === 'citus'
    ? { from: '', where: '' }
    : {
        from: `, (select set_config('lock_timeout', '${LOCKS_MS}ms', true) as lock_timeout) as pace`,
        where: ' and pace.lock_timeout is not null',
      };

function loggedTransaction(writer: Writer, change: Change, entries: readonly SubjectEntry[]): Promise<Row[]> {
  return writer.dataTransaction((tx) => {
    // Not waited for: if it fails, so does what follows.
    if (change.isJoint) tx.pipeline(PACED_LOCKS).catch(() => undefined);
    return commitLogged(writer, tx, change, entries);
  });
}

/** Where the rows are. */
const PACED_LOCKS: readonly Statement[] = [
  "set local citus.propagate_set_commands = 'local'",
  `set local lock_timeout = ${LOCKS_MS}`,
].map(plain);

/** Like `loggedWrite`, at the end of a transaction of the writer: the commit is sent along, so nothing may follow. */
export async function commitLogged(
  writer: Writer,
  tx: Transaction,
  change: Change,
  entries: readonly SubjectEntry[],
): Promise<Row[]> {
  if (writer.engine === 'plain' || entries.length === 0) {
    const [rows = []] = await tx.commitWith([
      entries.length === 0 ? change : asOneStatement(tx.schema, change, entries),
    ]);
    return rows;
  }
  if (change.creates !== undefined) {
    const [rows = []] = await tx.commitWith([change, insertEntriesOfCreated(tx.schema, change.creates, entries)]);
    return rows;
  }
  const rows = await tx.rows(change.text, change.params);
  const changed = new Set(rows.map((row) => row[0]));
  const done = entries.filter((entry) => changed.has(entry.subjectId));
  if (done.length > 0) await tx.commitWith([insertEntries(tx.schema, done)]);
  return rows;
}

function asOneStatement(schema: string, change: Statement, entries: readonly SubjectEntry[]): Statement {
  const [only, ...others] = entries;
  const text = loggedText(schema, change, others.length === 0);
  if (only !== undefined && others.length === 0) return { text, params: [...change.params, only.id, only.entry] };
  const columns = [
    plainArray(entries.map((e) => e.id)),
    textArray(entries.map((e) => e.entry)),
    textArray(entries.map((e) => e.subjectId)),
  ];
  return { text, params: [...change.params, ...columns] };
}

/** Two for each of 10,000 applications. In characters of the changes, about half of what is kept. */
const TEXTS = { max: 20_000, lengthMax: 16 * 2 ** 20 };
const singleTexts = new RecentTexts<string>(TEXTS);
const batchTexts = new RecentTexts<string>(TEXTS);

/** Kept: a string built for each request would have to be hashed again to find its prepared statement. */
function loggedText(schema: string, { text: change, params: { length: n } }: Statement, single: boolean): string {
  return (single ? singleTexts : batchTexts).use(change, () => {
    // One record needs no arrays, whose quoting costs time on both sides.
    const entries = single
      ? `select $${n + 1}::uuid, $${n + 2}::text from changed`
      : `select e.id, e.entry
         from unnest($${n + 1}::uuid[], $${n + 2}::text[], $${n + 3}::text[]) as e(id, entry, subject_id)
         join changed on changed.id = e.subject_id`;
    return `${LOGGED_WRITE}${change}),
      logged as (insert into ${schema}.activity (id, entry) ${entries} returning id)
      select changed.* from changed`;
  });
}
