// From one definition to the next in an application's tables. Runs inside the transaction that publishes: it happens
// whole or not at all. Readers go on all the while; writers of a collection wait only while its records are rewritten.

import { prepareCollection } from '../domain/application.ts';
import { carryValue } from '../domain/definition/carry.ts';
import { schemeChange } from '../domain/definition/scheme-change.ts';
import { type RecordParts, recordText } from '../domain/record-text.ts';
import { fault } from '../faults.ts';
import type { Transaction } from '../store/db.ts';
import { createApplicationSchema } from '../store/migrate.ts';
import {
  addProjections,
  changeTable,
  dropOtherProjections,
  findCollisions,
  keepWritersOut,
  rewriteRecords,
} from '../store/publishing.ts';
import { fillKeys, type RecordRow, updateRecords } from '../store/records.ts';
import {
  addProjection,
  createCollectionTable,
  createUniqueIndex,
  dropCollectionTable,
  projectionsOf,
  uniqueProjection,
} from '../store/tables.ts';
import type { Collection, Column } from '../wire/applications.ts';
import type { Definition } from '../wire/publish-document.ts';
import type { Values } from '../wire/values.ts';
import { draft, isoTime, keysOf, laterOf } from './record-drafts.ts';

type StoredRecord = Omit<RecordParts, 'valuesJson'> & { readonly values: Values };

/** Collections that stay, before and after. */
function kept(current: Definition, next: Definition): { before: Collection; after: Collection }[] {
  return next.collections.flatMap((after) => {
    const before = current.collections.find(({ id }) => id === after.id);
    return before === undefined ? [] : { before, after };
  });
}

const columnOf = (collection: Collection, columnId: string): Column | undefined =>
  collection.columns.find((column) => column.id === columnId);

/** Columns that become unique while they hold values. */
function newlyUnique(before: Collection, after: Collection): Column[] {
  return after.columns.filter((column) => column.unique && columnOf(before, column.id)?.unique === false);
}

const keepsValues = (from: Column | undefined, to: Column): boolean =>
  from !== undefined && schemeChange(from, to).kind !== 'replaced';

/** `writersWait`: until the commit, so that no record can collide between this check and the index. */
export async function refuseCollisions(
  tx: Transaction,
  current: Definition,
  next: Definition,
  { writersWait }: { writersWait: boolean },
): Promise<void> {
  const collisions = [];
  for (const { before, after } of kept(current, next)) {
    const columns = newlyUnique(before, after).filter((column) => keepsValues(columnOf(before, column.id), column));
    if (writersWait && columns.length > 0) await keepWritersOut(tx, after.id);
    for (const column of columns) {
      for (const { value, recordIds } of await findCollisions(tx, after.id, column.id)) {
        collisions.push({ collectionId: after.id, columnId: column.id, value, recordIds });
      }
    }
  }
  if (collisions.length > 0) throw fault('UNIQUE_COLLISION', { collisions });
}

export async function createTables(tx: Transaction, next: Definition, version: number): Promise<void> {
  await createApplicationSchema(tx, version);
  for (const collection of next.collections) await createCollection(tx, collection);
}

async function createCollection(tx: Transaction, collection: Collection): Promise<void> {
  await tx.rows(createCollectionTable(tx.schema, collection.id));
  for (const projection of projectionsOf(collection)) {
    await tx.rows(addProjection(tx.schema, collection.id, projection));
    await tx.rows(createUniqueIndex(tx.schema, collection.id, projection));
  }
}

/** The part of changeTables that would keep readers out while the rest runs; done ahead of it. */
export async function prepareTables(tx: Transaction, current: Definition, next: Definition): Promise<void> {
  for (const { before, after } of kept(current, next)) {
    await addProjections(tx, after.id, projectionsOf(staying(before, after)));
  }
}

/** Removes what a publishing that was stopped had prepared. */
export async function tidyTables(tx: Transaction, current: Definition): Promise<void> {
  for (const collection of current.collections) {
    await dropOtherProjections(tx, collection.id, projectionsOf(collection));
  }
}

/** The collection as it will be, without the columns that are new and so hold no values yet. */
function staying(before: Collection, after: Collection): Collection {
  return { ...after, columns: after.columns.filter(({ id }) => columnOf(before, id) !== undefined) };
}

export async function changeTables(
  tx: Transaction,
  current: Definition,
  next: Definition,
  moment: { version: number; now: number },
): Promise<void> {
  for (const { before, after } of kept(current, next)) {
    // One publisher may have come between the preparation and this transaction.
    await addProjections(tx, after.id, projectionsOf(staying(before, after)));
    const needed = shrinks(before, after) || newlyUnique(before, after).length > 0;
    if (needed) await rewrite(tx, before, staying(before, after), moment);
    for (const column of newlyUnique(before, after)) await addUniqueIndex(tx, after, column);
  }
  for (const collection of next.collections) {
    if (current.collections.every(({ id }) => id !== collection.id)) await createCollection(tx, collection);
  }
  // What follows keeps readers out until the commit, so it comes last, and what takes longest of it first.
  for (const { before, after } of kept(current, next)) {
    await addProjections(tx, after.id, projectionsOf(after));
    for (const column of after.columns) {
      if (columnOf(before, column.id) === undefined) await addUniqueIndex(tx, after, column);
    }
  }
  for (const { after } of kept(current, next)) await dropOtherProjections(tx, after.id, projectionsOf(after));
  for (const { id } of current.collections) {
    if (next.collections.every((collection) => collection.id !== id)) {
      await changeTable(tx, dropCollectionTable(tx.schema, id));
    }
  }
}

async function addUniqueIndex(tx: Transaction, collection: Collection, column: Column): Promise<void> {
  const projection = uniqueProjection(column);
  if (projection !== undefined) await tx.rows(createUniqueIndex(tx.schema, collection.id, projection));
}

/** Whether stored values must change: a column is gone, or holds less than before. */
function shrinks(before: Collection, after: Collection): boolean {
  return before.columns.some((column) => {
    const to = columnOf(after, column.id);
    if (to === undefined) return true;
    const change = schemeChange(column, to);
    return change.kind === 'replaced' || (change.kind === 'keys' && change.gone.length > 0);
  });
}

async function rewrite(
  tx: Transaction,
  before: Collection,
  after: Collection,
  { version, now }: { version: number; now: number },
): Promise<void> {
  await keepWritersOut(tx, after.id);
  const collection = prepareCollection(after);
  const table = { schema: tx.schema, collection, version };
  if (!shrinks(before, after)) {
    const change = (id: string, rec: string) => ({
      id,
      keys: keysOf(collection, (JSON.parse(rec) as StoredRecord).values),
    });
    await rewriteRecords(tx, table, { change, write: (rows) => fillKeys(table, rows) });
    return;
  }
  const fills = newlyUnique(before, after).length > 0;
  const change = (id: string, rec: string): RecordRow | undefined => {
    const stored = JSON.parse(rec) as StoredRecord;
    const made = draft(collection, id, carryValues(before, after, stored.values));
    if (made.hash === stored.hash && !fills) return undefined;
    // The values got their present hash now, although nobody updated the record.
    const later = laterOf(isoTime(now), laterOf(stored.updatedAt, stored.timestamp));
    const timestamp = made.hash === stored.hash ? stored.timestamp : later;
    return {
      ...made,
      rec: recordText({ ...stored, timestamp, hash: made.hash, valuesJson: made.valuesJson }),
      createdBy: stored.createdBy.id,
      updatedAt: stored.updatedAt,
    };
  };
  await rewriteRecords(tx, table, { change, write: (rows) => updateRecords(table, rows) });
}

function carryValues(before: Collection, after: Collection, values: Values): Values {
  const carried: Values = {};
  for (const [columnId, value] of Object.entries(values)) {
    const from = columnOf(before, columnId);
    const to = columnOf(after, columnId);
    const left = from && to && carryValue(from, to, value);
    if (left !== undefined) carried[columnId] = left;
  }
  return carried;
}
