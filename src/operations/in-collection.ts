// The context of an operation on one collection: the request's context, the prepared collection and its table.

import type { Context } from '../context.ts';
import type { PreparedCollection } from '../domain/definition/application.ts';
import { isInScope, readScope, writeScope } from '../domain/people/access.ts';
import { fault } from '../faults.ts';
import type { Table } from '../store/records/records.ts';

/** Operations on records and attachments need nothing of accounts and sessions. */
export interface InCollection extends Omit<Context, 'people' | 'database' | 'sessionId' | 'tokenId' | 'signedInBy'> {
  readonly collection: PreparedCollection;
  readonly table: Table;
}

export function inCollection(context: Context, collectionId: string): InCollection {
  const collection = context.application.collections.get(collectionId);
  if (collection === undefined) throw fault('COLLECTION_NOT_FOUND', { collectionId });
  // Member by member: every record operation passes here, and a spread was measurable.
  const { application, caller, source, store, searchIndexes, attachments, withoutSlot } = context;
  const { slices, scope, byteBudget, keyed, ids, now } = context;
  const table = { schema: store.schema, collection, generation: application.generation };
  return {
    application,
    caller,
    source,
    store,
    searchIndexes,
    attachments,
    withoutSlot,
    slices,
    scope,
    byteBudget,
    keyed,
    ids,
    now,
    collection,
    table,
  };
}

/** Reports written records, by their lengths, to the background maintenance of search indexes. */
export const reportWritten = ({ searchIndexes, application, table }: InCollection, lengths: readonly number[]): void =>
  searchIndexes.wrote(application.id, table, lengths);

/** `creatorId` is undefined if the record does not exist. A record that the caller may not read counts as missing. */
export function assertWritable(at: InCollection, recordId: string, creatorId: string | undefined): void {
  const { collection, caller } = at;
  if (creatorId === undefined || !isInScope(readScope(collection.definition, caller), creatorId)) {
    throw fault('RECORD_NOT_FOUND', { recordId });
  }
  if (!isInScope(writeScope(collection.definition, caller), creatorId)) throw fault('FORBIDDEN');
}
