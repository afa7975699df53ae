// Records: create, get, update, delete. Each verb tells its story from input to view; how rows get in and change is in
// record-inserts, record-replacement (one statement) and record-updates (locked).

import type { Context } from '../context.ts';
import { readScope, writeScope } from '../domain/access.ts';
import type { PreparedCollection } from '../domain/application.ts';
import { sha256Hex } from '../domain/hash.ts';
import { hashInText } from '../domain/record-text.ts';
import { readValues } from '../domain/values/value-types.ts';
import { fault, RawJson } from '../faults.ts';
import { loggedWrite } from '../store/logged-write.ts';
import { getRecord, removeRecord } from '../store/records.ts';
import type { NewRecord, RecordUpdate, RecordUpdateWithId } from '../wire/records.ts';
import { type Failure, inOrder } from './in-order.ts';
import { withLiveReferences } from './live-references.ts';
import { isoTime, recordEntries } from './record-drafts.ts';
import { draftRecords, insertDrafts } from './record-inserts.ts';
import { ATTEMPTS, buildAnew, buildOnKnown, explain, replace } from './record-replacement.ts';
import { type FoundTargets, findTargets } from './record-targets.ts';
import { applyUpdates, type Change } from './record-updates.ts';

/** A record as it goes out. The hash stands first in the ETag; the rest changes with anything else in the text. */
export interface RecordView {
  readonly text: string;
  readonly etag: string;
}

function collectionOf(context: Context, collectionId: string): PreparedCollection {
  const collection = context.application.collections.get(collectionId);
  if (collection === undefined) throw fault('COLLECTION_NOT_FOUND', { collectionId });
  return collection;
}

const pathOf = (context: Context, collection: PreparedCollection): string =>
  `${context.store.schema}/${collection.definition.id}/`;

export async function get(context: Context, input: { collectionId: string; recordId: string }): Promise<RecordView> {
  const collection = collectionOf(context, input.collectionId);
  const scope = readScope(collection.definition, context.caller);
  const stored = await getRecord(context.store, collection, input.recordId, scope);
  if (stored === undefined) throw fault('RECORD_NOT_FOUND', { recordId: input.recordId });
  context.known.learn(pathOf(context, collection), input.recordId, stored);
  const [text = stored] = await withLiveReferences(context, collection, [stored]);
  return { text, etag: `"${hashInText(text)}-${sha256Hex(text).slice(0, ETAG_REST_CHARACTERS)}"` };
}

/** 64 bits: enough to tell versions of one record apart. */
const ETAG_REST_CHARACTERS = 16;

/** The created records as texts, in order. `batch`: whether the body was an array, whose errors tell what was done. */
export async function create(
  context: Context,
  input: { collectionId: string; records: readonly NewRecord[]; batch: boolean },
): Promise<readonly string[]> {
  const collection = collectionOf(context, input.collectionId);
  checkCreators(context, input.records);
  const { drafts, failure } = await draftRecords(context, collection, input.records);
  const outcome = await insertDrafts(context, collection, drafts);
  const [only] = drafts;
  if (!input.batch && only && outcome.texts[0])
    context.known.learn(pathOf(context, collection), only.id, outcome.texts[0]);
  const texts = await withLiveReferences(context, collection, outcome.texts);
  return finish(texts, outcome.failure ?? failure, input.batch ? 'insertedRecords' : undefined);
}

function checkCreators(context: Context, records: readonly NewRecord[]): void {
  const given = records.filter((record) => record.creatorId !== undefined).length;
  if (given === 0) return;
  if (given < records.length) {
    const index = records.findIndex((record) => record.creatorId === undefined);
    throw fault('INVALID_BODY', {
      reason: 'creatorId must be given in every element or in none',
      path: `/${index}/creatorId`,
    });
  }
  if (!context.caller.admin) throw fault('ADMIN_REQUIRED');
}

/** The texts, or the failure with what was applied before it. */
function finish(
  texts: readonly string[],
  failure: Failure | undefined,
  member: 'insertedRecords' | 'updatedRecords' | undefined,
): readonly string[] {
  if (failure === undefined) return texts;
  if (member !== undefined) {
    failure.fault.batch = { recordIndex: failure.index, applied: { [member]: texts.map((text) => new RawJson(text)) } };
  }
  throw failure.fault;
}

export async function updateMany(
  context: Context,
  input: { collectionId: string; updates: readonly RecordUpdateWithId[] },
): Promise<readonly string[]> {
  const collection = collectionOf(context, input.collectionId);
  const { done: changes, failure } = inOrder(input.updates, (update) => readChange(collection, update.id, update));
  if (changes.length === 0) return finish([], failure, 'updatedRecords');
  const found = await findTargets(
    context,
    changes.flatMap((change) => change.read.targets),
  );
  const outcome = await applyUpdates(context, collection, changes, found);
  const texts = await withLiveReferences(context, collection, outcome.texts);
  return finish(texts, outcome.failure ?? failure, 'updatedRecords');
}

function readChange(collection: PreparedCollection, id: string, { values, replace = true }: RecordUpdate): Change {
  return { id, replace, read: readValues(collection.columns, values, { nullRemoves: !replace }) };
}

/** `ifHash`: the hash that the record must still have. */
export async function update(
  context: Context,
  input: { collectionId: string; recordId: string; update: RecordUpdate; ifHash?: string | undefined },
): Promise<string> {
  const collection = collectionOf(context, input.collectionId);
  const change = readChange(collection, input.recordId, input.update);
  const found = await findTargets(context, change.read.targets);
  const path = pathOf(context, collection);
  const built = change.replace
    ? buildAnew(change, found, input.ifHash)
    : buildOnKnown(change, context.known.get(path, change.id), found, input.ifHash);
  const text =
    (built && (await replace(context, collection, change, built, input.ifHash))) ??
    (await updateLocked(context, collection, change, found, input.ifHash));
  context.known.learn(path, change.id, text);
  const [live = text] = await withLiveReferences(context, collection, [text]);
  return live;
}

async function updateLocked(
  context: Context,
  collection: PreparedCollection,
  change: Change,
  found: FoundTargets,
  ifHash: string | undefined,
): Promise<string> {
  const { texts, failure } = await applyUpdates(context, collection, [change], found, ifHash);
  if (failure !== undefined) throw failure.fault;
  return texts[0]!;
}

export async function remove(
  context: Context,
  input: { collectionId: string; recordId: string; ifHash?: string | undefined },
): Promise<void> {
  const collection = collectionOf(context, input.collectionId);
  const { store, application, caller } = context;
  const { recordId, ifHash } = input;
  const conditions = { version: application.version, scope: writeScope(collection.definition, caller), ifHash };
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const change = removeRecord(store.schema, collection, recordId, conditions);
    const entries = recordEntries(context, collection, 'record.delete', [recordId], isoTime(context.now()));
    if ((await loggedWrite(store, change, entries)).length > 0) {
      context.known.forget(pathOf(context, collection), recordId);
      return;
    }
    await explain(context, collection, recordId, ifHash);
  }
  throw fault('UNAVAILABLE', { reason: 'busy' }, { 'retry-after': '1' });
}
