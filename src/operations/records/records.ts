// The operations on records: get, create, update, upsert and delete, each from input to reply. The writing is in inserts,
// replacement (one statement), updates (under locks) and upserts.

import type { Context, KeptReply } from '../../context.ts';
import type { PreparedCollection } from '../../domain/definition/application.ts';
import { sha256Hex, sha256HexInSlices } from '../../domain/hash.ts';
import { readScope, writeScope } from '../../domain/people/access.ts';
import { hashInText, type RecordText } from '../../domain/records/record-text.ts';
import { readValues } from '../../domain/values/read-values.ts';
import { fault, RawJson, tooBusy } from '../../faults.ts';
import { getRecordJoined } from '../../store/records/joined-reads.ts';
import { isLongRecord } from '../../store/records/long-records.ts';
import type { NewRecord, RecordUpdate, RecordUpdateWithId } from '../../wire/records.ts';
import { recordEntries } from '../activity/entries.ts';
import { type InCollection, inCollection } from '../in-collection.ts';
import { type Failure, inOrder } from '../in-order.ts';
import { replaceMany } from './batch-replacements.ts';
import { inTurn } from './changes-in-turn.ts';
import { draftRecords, insertDrafts } from './inserts.ts';
import { insertKeyed } from './keyed-inserts.ts';
import { withLiveReferences, withLiveReferencesIfPossible } from './live-references.ts';
import { readLong } from './reading.ts';
import { removeOne } from './removals.ts';
import { ATTEMPTS, buildOnStored, buildReplacement, replace, throwMissReason } from './single-statement-updates.ts';
import { findTargets } from './targets.ts';
import { applyUpdates, type Update, type UpdateConditions } from './updates.ts';
import { readUpsert, upsertKey, upsertMany, upsertOne } from './upserts.ts';

/** A record for the reply. The ETag begins with the record's hash; the rest changes with anything else in the text. */
export interface RecordView {
  readonly text: RecordText;
  readonly etag: string;
}

export async function get(context: Context, input: { collectionId: string; recordId: string }): Promise<RecordView> {
  const at = inCollection(context, input.collectionId);
  const { recordId } = input;
  const stored = await getRecordJoined(at, {
    recordId,
    readScope: readScope(at.collection.definition, at.caller),
  });
  if (stored === undefined) throw fault('RECORD_NOT_FOUND', { recordId });
  if (isLongRecord(stored)) return getLong(at, recordId, stored);
  const [text = stored] = await withLiveReferences(at, [stored]);
  return viewOf(text);
}

async function getLong(at: InCollection, recordId: string, selected: string): Promise<RecordView> {
  const text = await readLong(at, selected);
  if (text === undefined) throw fault('RECORD_NOT_FOUND', { recordId });
  return viewOf(text, await at.slices.run(at.scope, sha256HexInSlices(text)));
}

const viewOf = (text: RecordText, digest = sha256Hex(text)): RecordView => ({
  text,
  etag: `"${hashInText(text)}-${digest.slice(0, ETAG_REST_CHARACTERS)}"`,
});

/** 64 bits: enough to distinguish versions of one record. */
const ETAG_REST_CHARACTERS = 16;

/** `batch`: the body was an array; its errors report the applied elements. `reply` is made of the created records, in order. */
export async function create<R extends KeptReply>(
  context: Context,
  input: { collectionId: string; records: readonly NewRecord[]; batch: boolean },
  reply: (texts: readonly RecordText[]) => R,
): Promise<R> {
  const at = inCollection(context, input.collectionId);
  checkCreators(context, input.records);
  const { drafts, failure } = await draftRecords(at, input.records);
  const finished = (texts: readonly RecordText[], refused: Failure | undefined) =>
    reply(finish(texts, refused ?? failure, input.batch ? 'insertedRecords' : undefined));
  // A failure of the first element is kept as a refusal (http/keyed-requests).
  if (at.keyed !== undefined && (drafts.length > 0 || failure === undefined))
    return insertKeyed(at, at.keyed, { drafts, finished });
  const outcome = await insertDrafts(at, drafts);
  return finished(await withLiveReferencesIfPossible(at, outcome.texts), outcome.failure);
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
  texts: readonly RecordText[],
  failure: Failure | undefined,
  member: 'insertedRecords' | 'updatedRecords' | 'upsertedRecords' | undefined,
): readonly RecordText[] {
  if (failure === undefined) return texts;
  if (member !== undefined) {
    failure.fault.batch = { recordIndex: failure.index, applied: { [member]: texts.map((text) => new RawJson(text)) } };
  }
  throw failure.fault;
}

export async function updateMany(
  context: Context,
  input: { collectionId: string; updates: readonly RecordUpdateWithId[] },
): Promise<readonly RecordText[]> {
  const at = inCollection(context, input.collectionId);
  const { done: changes, failure } = await inOrder(at, input.updates, (update) =>
    readUpdate(at.collection, update.id, update),
  );
  if (changes.length === 0) return finish([], failure, 'updatedRecords');
  const found = await findTargets(
    at,
    changes.flatMap((change) => change.read.targets),
  );
  const outcome = (await replaceMany(at, changes, found)) ?? (await applyUpdates(at, changes, { found }));
  const texts = await withLiveReferencesIfPossible(at, outcome.texts);
  return finish(texts, outcome.failure ?? failure, 'updatedRecords');
}

function readUpdate(collection: PreparedCollection, id: string, { values, replace = true }: RecordUpdate): Update {
  return { id, replace, read: readValues(collection.columns, values, { nullRemoves: !replace }) };
}

/** `ifHash`: the hash that the record must still have. */
export async function update(
  context: Context,
  input: { collectionId: string; recordId: string; update: RecordUpdate; ifHash?: string | undefined },
): Promise<RecordText> {
  const at = inCollection(context, input.collectionId);
  const { recordId, ifHash } = input;
  const change = readUpdate(at.collection, recordId, input.update);
  const found = await findTargets(at, change.read.targets);
  const built = change.replace
    ? buildReplacement(change, found, ifHash)
    : buildOnStored(change, found, { stored: await getRecordJoined(at, { recordId, readScope: undefined }), ifHash });
  const text =
    (built && (await replace(at, recordId, { ifHash, ...built }))) ??
    (await updateLocked(at, change, { found, ifHash }));
  const [live = text] = await withLiveReferencesIfPossible(at, [text]);
  return live;
}

async function updateLocked(at: InCollection, change: Update, conditions: UpdateConditions): Promise<RecordText> {
  const { texts, failure } = await applyUpdates(at, [change], conditions);
  if (failure !== undefined) throw failure.fault;
  return texts[0]!;
}

/** The texts of the updated and the new records, in order. */
export async function upsert(
  context: Context,
  input: { collectionId: string; keyColumnId: string; records: readonly NewRecord[]; batch: boolean },
): Promise<readonly RecordText[]> {
  const at = inCollection(context, input.collectionId);
  const key = upsertKey(at.collection, input.keyColumnId);
  checkCreators(context, input.records);
  const { done: upserts, failure } = await inOrder(at, input.records, (record) =>
    readUpsert(at.collection, key, record),
  );
  const member = input.batch ? 'upsertedRecords' : undefined;
  const [first] = upserts;
  if (first === undefined) return finish([], failure, member);
  if (!input.batch) {
    const { text } = await upsertOne(at, key, first);
    return withLiveReferencesIfPossible(at, [text]);
  }
  const outcome = await upsertMany(at, key, upserts);
  const texts = await withLiveReferencesIfPossible(at, outcome.texts);
  return finish(texts, outcome.failure ?? failure, member);
}

export async function remove(
  context: Context,
  input: { collectionId: string; recordId: string; ifHash?: string | undefined },
): Promise<void> {
  const at = inCollection(context, input.collectionId);
  const { recordId, ifHash } = input;
  const conditions = { scope: writeScope(at.collection.definition, at.caller), ifHash };
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const removed = await inTurn(at, recordId, () =>
      removeOne({
        store: at.store,
        scope: at.scope,
        table: at.table,
        recordId,
        conditions,
        entries: () => recordEntries(at, { kind: 'record.delete', recordIds: [recordId] }),
      }),
    );
    if (removed.length > 0) return;
    await throwMissReason(at, recordId, ifHash);
  }
  throw tooBusy();
}
