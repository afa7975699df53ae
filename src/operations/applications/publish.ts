// From one definition to the next in an application's tables: what the switch itself does. It runs inside the transaction
// that publishes and happens whole or not at all. What takes long has happened before (operations/applications/prepare); only
// where values go, writers of that collection wait while its records are rewritten.

import { isoTime } from '../../domain/dates/iso-time.ts';
import { type PreparedCollection, prepareCollections } from '../../domain/definition/application.ts';
import { carryValue } from '../../domain/definition/carry.ts';
import { readRecordText, recordText } from '../../domain/records/record-text.ts';
import { schemeChange } from '../../domain/values/scheme-change.ts';
import { fault } from '../../faults.ts';
import { createApplicationSchema } from '../../store/applications/migrate.ts';
import { countRecords, findCollisions, keepWritersOut, trigrams } from '../../store/applications/publishing.ts';
import type { Reader, Transaction } from '../../store/database/handles.ts';
import type { RecordRow } from '../../store/records/records.ts';
import { createCollectionTable, createIndex, indexesOf } from '../../store/records/tables.ts';
import { type PageRow, rewriteRecords } from '../../store/records/walks.ts';
import type { Collection, Column } from '../../wire/applications.ts';
import type { Definition } from '../../wire/publish-document.ts';
import type { Values } from '../../wire/values.ts';
import { laterOf, redraft } from '../records/drafts.ts';
import type { Reporter } from './publishing-progress.ts';

/** Collections that stay, before and after. */
export function kept(current: Definition, next: Definition): { before: Collection; after: Collection }[] {
  return next.collections.flatMap((after) => {
    const before = current.collections.find(({ id }) => id === after.id);
    return before === undefined ? [] : { before, after };
  });
}

const columnOf = (collection: Collection, columnId: string): Column | undefined =>
  collection.columns.find((column) => column.id === columnId);

/** Columns that become unique while they hold values. */
function newlyUnique(before: Collection, after: Collection): Column[] {
  return after.columns.filter((column) => {
    const from = columnOf(before, column.id);
    return column.unique && from?.unique === false && schemeChange(from, column).kind !== 'replaced';
  });
}

/** Before anything is done. What collides later is found when the index is built (operations/applications/prepare). */
export async function refuseCollisions(reader: Reader, current: Definition, next: Definition): Promise<void> {
  const collisions = [];
  for (const { before, after } of kept(current, next)) {
    for (const column of newlyUnique(before, after)) {
      for (const { value, recordIds } of await findCollisions(reader, after.id, column.id)) {
        collisions.push({ collectionId: after.id, columnId: column.id, value, recordIds });
      }
    }
  }
  if (collisions.length > 0) throw fault('UNIQUE_COLLISION', { collisions });
}

export async function createTables(tx: Transaction, next: Definition, generation: number): Promise<void> {
  await createApplicationSchema(tx, { generation, logs: next.activityLogEnabled });
  for (const collection of prepareCollections(next).values()) await createCollection(tx, collection);
}

async function createCollection(tx: Transaction, collection: PreparedCollection): Promise<void> {
  await tx.rows(createCollectionTable(tx.schema, collection));
  const options = { trigrams: await trigrams(tx), concurrently: false };
  for (const index of indexesOf(collection)) {
    await tx.rows(createIndex(tx.schema, collection.definition.id, index, options));
  }
}

export interface Moment {
  /** The one that the fence holds until the switch. */
  readonly generation: number;
  readonly now: number;
  readonly reporter: Reporter;
  /** How long it may keep writers waiting while it waits for others of them. */
  readonly waitMs: number;
}

export async function changeTables(
  tx: Transaction,
  current: Definition,
  next: Definition,
  moment: Moment,
): Promise<void> {
  const collections = prepareCollections(next);
  for (const collection of next.collections) {
    if (current.collections.every(({ id }) => id !== collection.id)) {
      await createCollection(tx, collections.get(collection.id)!);
    }
  }
  for (const { before, after } of kept(current, next)) {
    if (shrinks(before, after)) await rewrite(tx, { before, after: collections.get(after.id)! }, moment);
  }
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

/** A record whose values stay needs nothing: what is projected of them was filled in before. */
async function rewrite(
  tx: Transaction,
  { before, after }: { before: Collection; after: PreparedCollection },
  { generation, now, reporter, waitMs }: Moment,
): Promise<void> {
  await keepWritersOut(tx, before.id, waitMs);
  reporter.begin('switching', before.id, await countRecords(tx, before.id));
  const table = { schema: tx.schema, collection: after, generation };
  const change = ({ id, rec }: PageRow): RecordRow | undefined => {
    const stored = readRecordText(rec);
    const made = redraft(after, id, carryValues(before, after.definition, stored.values));
    if (made.hash === stored.hash) return undefined;
    // The values got their present hash now, although nobody updated the record.
    const timestamp = laterOf(isoTime(now), laterOf(stored.updatedAt, stored.timestamp));
    return {
      ...made,
      rec: recordText({ ...stored, timestamp, hash: made.hash, valuesJson: made.valuesJson }),
      createdBy: stored.createdBy,
      updatedBy: stored.updatedBy,
      updatedAt: stored.updatedAt,
    };
  };
  await rewriteRecords(tx, table, { change, onPage: reporter.advance });
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
