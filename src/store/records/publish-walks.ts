// Publishing walks over all records of a collection, page by page: to fill in projected columns while requests go on, and
// to rewrite records in the transaction of the switch.

import { setTimeout as pause } from 'node:timers/promises';
import { type Projected, type Projection, SEARCH_TEXT } from '../../domain/records/projections.ts';
import { tooBusy } from '../../faults.ts';
import type { Steps } from '../../load/slices.ts';
import type { Publisher, Reader, Transaction } from '../database/handles.ts';
import type { Row, Statement } from '../database/statements.ts';
import { plainArray } from '../database/text-arrays.ts';
import { projectedArraysInSlices, type RecordRow, type Table, updateRecords } from './records.ts';
import { sqlType, tableOf } from './tables.ts';

/** Rewriting a page is a statement of about 20 ms, for which writers of the same rows may wait. */
const PAGE_RECORDS = 500;
/** While other applications are served: the database is theirs too. */
const PAGE_RECORDS_BESIDE_OTHERS = 100;
/** Records may have a megabyte each. */
const PAGE_BYTES = 8 * 1024 * 1024;

/** A record as a walk reads it. */
export interface WalkedRow {
  readonly id: string;
  readonly rec: string;
  readonly hash: string;
  /** The stored search text, if it is among the projections of the walk. */
  readonly found: string | null;
  /** For each projection of the walk, whether its column is not null. */
  readonly stored: readonly boolean[];
}

interface PageRange {
  readonly from: string | readonly string[];
  readonly projections?: readonly Projection[];
  readonly recordsMax?: number;
}

/** The records after an identifier, in the order of identifiers, or those with the given identifiers. */
async function readPage(
  reader: Reader,
  table: Table,
  { from, projections = [], recordsMax = PAGE_RECORDS }: PageRange,
): Promise<WalkedRow[]> {
  const names = projections.map(({ name }) => name);
  const columns = ['id', 'rec', 'hash', names.includes(SEARCH_TEXT) ? SEARCH_TEXT : 'null'];
  const areStored = names.map((name) => `${name} is not null`);
  const rows = await reader.rows(
    `select ${[...columns, ...areStored].join(', ')}
     from (select *, sum(octet_length(rec)) over (order by id) as bytes
       from (select * from ${tableOf(table.schema, table.collection.definition.id)}
         where ${typeof from === 'string' ? 'id > $1' : 'id = any($1::text[])'} order by id limit $2) t) p
     where bytes - octet_length(rec) < ${PAGE_BYTES} order by id`,
    [from, recordsMax],
  );
  return (rows as [string, string, string, string | null, ...boolean[]][]).map(([id, rec, hash, found, ...flags]) => ({
    id,
    rec,
    hash,
    found,
    stored: flags,
  }));
}

/** Empty if there is no record. Identifiers are compared as bytes, here as in the database. */
async function lastId(reader: Reader, { schema, collection }: Table): Promise<string> {
  const rows = await reader.rows(`select max(id) from ${tableOf(schema, collection.definition.id)}`);
  return (rows[0]?.[0] as string | null) ?? '';
}

/** Projected values for a record. They are stored only if the hash is unchanged: a newer write has stored its own. */
export interface Filled {
  readonly id: string;
  readonly hash: string;
  readonly projected: readonly Projected[];
}

export interface Filling {
  readonly table: Table;
  readonly projections: readonly Projection[];
  /** Undefined if nothing is missing. `again`: the record was locked at the first attempt, and may be complete by now. */
  readonly fill: (row: WalkedRow, again: boolean) => Filled | undefined;
  readonly onPage: (records: number) => void;
  readonly pace: FillingPace;
}

/** How the work gives way to requests. */
export interface FillingPace {
  readonly isBesideOthers: () => boolean;
  readonly inSlices: <T>(steps: Steps<T>) => Promise<T>;
  /** Waits after a page that has taken the database so long. */
  readonly pauseAfter: (milliseconds: number) => Promise<void>;
}

const STUCK_MS = 60_000;
const STUCK_LOOK_MS = 50;

/**
 * Each page is a short transaction. It skips locked records, which are filled at the end, so it waits for no lock. Records that
 * are created meanwhile have all columns: following them, the walk would not end while they arrive faster than it goes.
 */
export async function fillRecords(publisher: Publisher, filling: Filling): Promise<void> {
  const { table, projections, onPage, pace } = filling;
  const last = await lastId(publisher.application, table);
  let locked: string[] = [];
  for (let from = ''; from < last; ) {
    const recordsMax = pace.isBesideOthers() ? PAGE_RECORDS_BESIDE_OTHERS : PAGE_RECORDS;
    const page = await readPage(publisher.application, table, { from, projections, recordsMax });
    if (page.length === 0) break;
    locked.push(...(await fillPage(publisher, filling, { page, again: false })));
    onPage(page.length);
    from = page.at(-1)!.id;
  }
  let stuckSince = performance.now();
  while (locked.length > 0) {
    if (performance.now() - stuckSince > STUCK_MS) throw tooBusy();
    await pause(STUCK_LOOK_MS);
    const next = locked.slice(0, PAGE_RECORDS);
    const page = await readPage(publisher.application, table, { from: next, projections });
    const left = await fillPage(publisher, filling, { page, again: true });
    if (left.length < page.length) stuckSince = performance.now();
    // Identifiers after the last did not fit into the page; others that the page lacks have been deleted.
    const last = page.at(-1)?.id;
    const unread = last === undefined ? [] : next.filter((id) => id > last);
    locked = [...unread, ...locked.slice(PAGE_RECORDS), ...left];
  }
}

interface WalkedPage {
  readonly page: readonly WalkedRow[];
  readonly again: boolean;
}

interface FilledPage {
  readonly ids: readonly string[];
  /** Writes the values of those records that are given. */
  readonly statementFor: (taken: readonly string[]) => Statement;
}

/** Undefined if no record of the page lacks anything. */
function* fillInSteps(filling: Filling, { page, again }: WalkedPage): Steps<FilledPage | undefined> {
  const rows: Filled[] = [];
  for (const row of page) {
    const filled = filling.fill(row, again);
    if (filled !== undefined) rows.push(filled);
    yield;
  }
  if (rows.length === 0) return undefined;
  const ids = rows.map(({ id }) => id);
  const hashes = plainArray(rows.map(({ hash }) => hash));
  const projected = yield* projectedArraysInSlices(filling.projections, rows);
  const text = fillText(filling);
  const statementFor = (taken: readonly string[]) => ({
    text,
    params: [filling.table.generation, plainArray(taken), plainArray(ids), hashes, ...projected],
  });
  return { ids, statementFor };
}

/** Returns the identifiers of records that another transaction has locked. */
async function fillPage(publisher: Publisher, filling: Filling, walked: WalkedPage): Promise<readonly string[]> {
  // Before the records are locked: slices wait for requests, which may wait for the locks.
  const filled = await filling.pace.inSlices(fillInSteps(filling, walked));
  if (filled === undefined) return [];
  const { ids, statementFor } = filled;
  const name = tableOf(filling.table.schema, filling.table.collection.definition.id);
  const since = performance.now();
  const locked = await publisher.transaction(async ({ application }) => {
    const rows = await application.rows(
      `select id from ${name} where id = any($1::text[]) order by id for update skip locked`,
      [plainArray(ids)],
    );
    const taken = rows.map((row) => row[0] as string);
    await application.commitWith([statementFor(taken)]);
    const isTaken = new Set(taken);
    return ids.filter((id) => !isTaken.has(id));
  });
  await filling.pace.pauseAfter(performance.now() - since);
  return locked;
}

function fillText({ table, projections }: Filling): string {
  const names = projections.map(({ name }) => name);
  const types = projections.map((projection, index) => `$${5 + index}::${sqlType(projection)}[]`);
  return `update ${tableOf(table.schema, table.collection.definition.id)} as t
      set ${names.map((name) => `${name} = r.${name}`).join(', ')}
      from ${table.schema}.fence, unnest($3::text[], $4::text[], ${types.join(', ')}) as r(id, hash, ${names.join(', ')})
      where fence.generation = $1 and t.id = any($2::text[]) and t.id = r.id and t.hash = r.hash returning t.id`;
}

/**
 * Writes what `change` returns for each record; undefined leaves the record as it is. Runs in the transaction of the
 * switch: writers are locked out, and `table` has the generation that the fence holds until the commit.
 */
export async function rewriteRecords(
  tx: Transaction,
  table: Table,
  { change, onPage }: { change: (row: WalkedRow) => RecordRow | undefined; onPage: (records: number) => void },
): Promise<void> {
  for (let from = ''; ; ) {
    const page = await readPage(tx, table, { from });
    const last = page.at(-1);
    if (last === undefined) return;
    const rows = page.map(change).filter((row) => row !== undefined);
    if (rows.length > 0) {
      const { text, params } = updateRecords(table, rows);
      assertAll(await tx.rows(text, params), rows.length);
    }
    onPage(page.length);
    from = last.id;
  }
}

/** Writers are locked out, so only a moved fence can make a row fail. */
function assertAll(written: readonly Row[], count: number): void {
  if (written.length < count) throw new Error('the fence has moved while records were written');
}
