// What an operation on records is given besides its context: the collection, and how its table is named in statements.

import type { Context } from '../context.ts';
import type { PreparedCollection } from '../domain/definition/application.ts';
import { isInScope, readScope, writeScope } from '../domain/people/access.ts';
import { fault } from '../faults.ts';
import type { Table } from '../store/records/records.ts';

/** Records and attachments have nothing to do with people's other affairs. */
export interface InCollection extends Omit<Context, 'people' | 'database' | 'sessionId' | 'tokenId' | 'signedInBy'> {
  readonly collection: PreparedCollection;
  readonly table: Table;
}

export function inCollection(context: Context, collectionId: string): InCollection {
  const collection = context.application.collections.get(collectionId);
  if (collection === undefined) throw fault('COLLECTION_NOT_FOUND', { collectionId });
  // Member by member: on the road of every record operation a spread was measurable.
  const { application, caller, source, store, known, searchIndexes, attachments, withoutSlot } = context;
  const { slices, scope, byteBudget, ids, now } = context;
  const table = { schema: store.schema, collection, generation: application.generation };
  return {
    application,
    caller,
    source,
    store,
    known,
    searchIndexes,
    attachments,
    withoutSlot,
    slices,
    scope,
    byteBudget,
    ids,
    now,
    collection,
    table,
  };
}

/** Under which this node remembers the collection's records. */
export const cachePath = ({ table }: InCollection): string => `${table.schema}/${table.collection.definition.id}/`;

/** For what is done behind the writers' backs. */
export const reportWritten = ({ searchIndexes, application, table }: InCollection, records: number): void =>
  searchIndexes.wrote(application.id, table, records);

/** `creatorId`: undefined when there is no such record. One that the caller may not read is not there either. */
export function assertWritable(at: InCollection, recordId: string, creatorId: string | undefined): void {
  const { collection, caller } = at;
  if (creatorId === undefined || !isInScope(readScope(collection.definition, caller), creatorId)) {
    throw fault('RECORD_NOT_FOUND', { recordId });
  }
  if (!isInScope(writeScope(collection.definition, caller), creatorId)) throw fault('FORBIDDEN');
}
