// Requests over long records, written in batches of a few megabytes. All records are locked first; then each batch is read,
// changed and written, in the order of the elements. Only the written texts are kept, for the reply and outside the heap.

import type { RecordText } from '../../domain/records/record-text.ts';
import type { Steps } from '../../load/slices.ts';
import type { Transaction } from '../../store/database/handles.ts';
import { textBytesInSlices } from '../../store/database/text-arrays.ts';
import { isLongRecord, readLongRecord } from '../../store/records/long-records.ts';
import type { LockedText } from '../../store/records/records.ts';
import type { Values } from '../../wire/values.ts';
import { keepBytes, requireBytes } from '../held-bytes.ts';
import { type InCollection, reportWritten } from '../in-collection.ts';
import { type Failure, inOrderInSlices, type Outcome } from '../in-order.ts';
import { readLongInTurns } from './long-texts.ts';
import {
  claimKeys,
  logStatements,
  type PlannedWrite,
  type RecordState,
  type RecordWrite,
  readState,
  removeClaimed,
  updateOneByOne,
} from './planned-writes.ts';

const BATCH_BYTES = 2 * 1024 * 1024;
/** Memory for changing a record, as a multiple of its bytes: texts, values, projections and the statement. */
const WORK_PER_BYTE = 8;
/** A short record that several elements change is in the reply several times. Up to this size, no batches are needed. */
const AT_ONCE_BYTES = 4 * 1024 * 1024;

export interface Element {
  /** The record's identifier, or the key of an upsert. */
  readonly name: string;
  readonly values: Values;
}

/** The most bytes that each element's record can have after it; undefined when all fit into memory at once. */
export function elementSizes(
  elements: readonly Element[],
  locked: ReadonlyMap<string, LockedText>,
): readonly number[] | undefined {
  const anyLong = [...locked.values()].some(({ rec }) => isLongRecord(rec));
  if (!anyLong && new Set(elements.map(({ name }) => name)).size === elements.length) return undefined;
  const sizes = new Map([...locked].map(([name, { rec }]) => [name, sizeOf(rec)]));
  const each = elements.map(({ name, values }) => {
    const size = (sizes.get(name) ?? 0) + Buffer.byteLength(JSON.stringify(values));
    sizes.set(name, size);
    return size;
  });
  return anyLong || sum(each) > AT_ONCE_BYTES ? each : undefined;
}

const sizeOf = (rec: string): number => (isLongRecord(rec) ? readLongRecord(rec).bytes : Buffer.byteLength(rec));

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

export interface BatchedWrites {
  readonly names: readonly string[];
  readonly sizes: readonly number[];
  readonly locked: ReadonlyMap<string, LockedText>;
  /** The new records, by name: each is made by the first element that names it. */
  readonly created: ReadonlyMap<string, PlannedWrite>;
  /** Applies an element to its record, which is not a new one. */
  readonly change: (index: number, state: RecordState | undefined) => Steps<PlannedWrite>;
  /** The failure of the element after the last of these. */
  readonly failure: Failure | undefined;
  /** As in PlannedBatch. */
  readonly keyColumnId?: string;
}

/** What is kept of a write after its batch. */
type Written = Pick<RecordWrite, 'kind'> & { readonly row: { readonly id: string }; readonly text: Buffer };

/** Must run inside `withBytes`. */
export async function writeInBatches(at: InCollection, tx: Transaction, all: BatchedWrites): Promise<Outcome> {
  const { sizes, created, keyColumnId } = all;
  const replyBytes = sum(sizes);
  const batchBytes = Math.min(replyBytes, Math.max(BATCH_BYTES, ...sizes));
  requireBytes(at, replyBytes + WORK_PER_BYTE * batchBytes);
  reportWritten(at, sizes);
  const claimed = [...created.values()].map(({ write }) => write);
  const claims = claimKeys(at, { writes: claimed, keyColumnId });
  if (claims.length > 0) await updateOneByOne(at, tx, { claims, writes: [], keyColumnId });
  const written: Written[] = [];
  const texts = new Map<string, RecordText>();
  let failure: Failure | undefined;
  for (let start = 0; failure === undefined && start < sizes.length; start = written.length) {
    failure = await writeBatch(at, tx, { ...all, start, end: batchEnd(sizes, start), texts, written });
  }
  const writtenIds = new Set(written.map(({ row }) => row.id));
  const unreached = claimed.filter(({ row }) => !writtenIds.has(row.id));
  await removeClaimed(at, tx, unreached);
  await tx.commitWith(logStatements(at, written));
  keepBytes(at, sum(written.map(({ text }) => text.length)));
  const applied = { texts: written.map(({ text }) => text) };
  const first = failure ?? all.failure;
  return first === undefined ? applied : { ...applied, failure: first };
}

function batchEnd(sizes: readonly number[], start: number): number {
  let bytes = sizes[start] ?? 0;
  let end = start + 1;
  while (end < sizes.length && bytes + (sizes[end] ?? 0) <= BATCH_BYTES) {
    bytes += sizes[end] ?? 0;
    end += 1;
  }
  return end;
}

interface Batch extends BatchedWrites {
  readonly start: number;
  readonly end: number;
  /** The records that earlier elements have written, by name. */
  readonly texts: Map<string, RecordText>;
  readonly written: Written[];
}

async function writeBatch(at: InCollection, tx: Transaction, batch: Batch): Promise<Failure | undefined> {
  const { start, names, texts, keyColumnId } = batch;
  const { done: writes, failure } = await planBatch(at, tx, batch);
  const { written, refused } = await updateOneByOne(at, tx, { claims: [], writes, keyColumnId });
  const { done: encoded } = await inOrderInSlices(at, writes.slice(0, written), ({ row }) =>
    textBytesInSlices(row.rec),
  );
  for (const [index, { kind, row }] of writes.slice(0, written).entries()) {
    const text = encoded[index]!;
    batch.written.push({ kind, row: { id: row.id }, text });
    texts.set(names[start + index]!, text);
  }
  if (refused !== undefined) return { index: start + written, fault: refused };
  return failure && { ...failure, index: start + failure.index };
}

async function planBatch(
  at: InCollection,
  tx: Transaction,
  { start, end, names, texts, locked, created, change }: Batch,
): Promise<{ done: RecordWrite[]; failure?: Failure }> {
  const batch = names.slice(start, end);
  const unread = [...new Set(batch)].flatMap((name) => {
    const record = locked.get(name);
    return record !== undefined && isLongRecord(record.rec) && !texts.has(name) ? readLongRecord(record.rec) : [];
  });
  const read = await readLongInTurns(at, tx, unread);
  const states = new Map<string, RecordState>();
  const stateOf = (name: string): RecordState | undefined => {
    const record = locked.get(name);
    const text = texts.get(name) ?? (record && (read.get(record.id) ?? record.rec));
    return text === undefined ? undefined : readState(at.collection, text);
  };
  return inOrderInSlices(at, batch, function* (name, index) {
    const state = states.get(name) ?? stateOf(name);
    yield;
    const next = (state === undefined ? created.get(name) : undefined) ?? (yield* change(start + index, state));
    states.set(name, next.state);
    return next.write;
  });
}
