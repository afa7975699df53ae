// Batches over long records, a few megabytes at a time: the records are locked, and then read, changed and written portion by
// portion, in the order of the elements. Of what was written only the texts are kept, for the answer, outside of the heap.

import type { RecordText } from '../../domain/records/record-text.ts';
import type { Transaction } from '../../store/database/handles.ts';
import { isLongRecord, readLongRecord, readLongTexts } from '../../store/records/long-records.ts';
import { insertRecords, type LockedText, removeRecord, updateRecords } from '../../store/records/records.ts';
import { violatedColumn } from '../../store/records/tables.ts';
import type { Values } from '../../wire/values.ts';
import { type InCollection, noteWritten } from '../in-collection.ts';
import { type Failure, inOrder, type Outcome } from '../in-order.ts';
import { duplicatedValues } from './drafts.ts';
import { keepBytes, requireBytes } from './held-bytes.ts';
import {
  assertWritten,
  claimedRows,
  logging,
  readState,
  refusal,
  type State,
  type Step,
  type Stepped,
  StepsOutdated,
} from './steps.ts';

const PORTION_BYTES = 2 * 1024 * 1024;
/** What is made of a record while it is changed, in its bytes: texts, values, projections, and the statement. */
const WORK_PER_BYTE = 8;
/** Short records that several elements change are in the answer several times; up to this it is made at once. */
const AT_ONCE_BYTES = 4 * 1024 * 1024;

export interface Element {
  /** By which its record is known: the identifier, or a key. */
  readonly name: string;
  readonly values: Values;
}

/**
 * How many bytes each element's record can have after it; undefined when the batch is small enough to be applied at once.
 */
export function portionSizes(
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

export interface Portioned {
  readonly names: readonly string[];
  readonly sizes: readonly number[];
  readonly locked: ReadonlyMap<string, LockedText>;
  /** The new records, by name: each is made by the first element that names it. */
  readonly created: ReadonlyMap<string, Stepped>;
  /** Applies an element to its record, which is not a new one. */
  readonly change: (index: number, state: State | undefined) => Stepped;
  /** Of the element behind these. */
  readonly failure: Failure | undefined;
  /** As for writeSteps. */
  readonly keyColumnId?: string;
}

/** What is kept of a step that was written. */
type Written = Pick<Step, 'kind'> & { readonly row: { readonly id: string }; readonly text: Buffer };

/** Within `withBytes`. */
export async function writeInPortions(at: InCollection, tx: Transaction, batch: Portioned): Promise<Outcome> {
  const { sizes } = batch;
  const answerBytes = sum(sizes);
  const portionBytes = Math.min(answerBytes, Math.max(PORTION_BYTES, ...sizes));
  requireBytes(at, answerBytes + WORK_PER_BYTE * portionBytes);
  noteWritten(at, sizes.length);
  const claimed = await claim(at, tx, batch);
  const written: Written[] = [];
  const texts = new Map<string, RecordText>();
  let failure: Failure | undefined;
  for (let start = 0; failure === undefined && start < sizes.length; start = written.length) {
    failure = await writePortion(at, tx, { ...batch, start, end: endOf(sizes, start), texts, written });
  }
  const unreached = claimed.filter(({ step }) => !written.some(({ row }) => row.id === step.row.id));
  if (unreached.length > 0) {
    const unconditional = { scope: undefined, ifHash: undefined };
    assertWritten(await tx.pipeline(unreached.map(({ step }) => removeRecord(at.table, step.row.id, unconditional))));
  }
  await tx.commitWith(logging(at, written));
  keepBytes(at, sum(written.map(({ text }) => text.length)));
  const applied = { texts: written.map(({ text }) => text) };
  const first = failure ?? batch.failure;
  return first === undefined ? applied : { ...applied, failure: first };
}

function endOf(sizes: readonly number[], start: number): number {
  let bytes = sizes[start] ?? 0;
  let end = start + 1;
  while (end < sizes.length && bytes + (sizes[end] ?? 0) <= PORTION_BYTES) {
    bytes += sizes[end] ?? 0;
    end += 1;
  }
  return end;
}

/** New records go in first, with their key alone and in its order; their elements make of them what they say. */
async function claim(at: InCollection, tx: Transaction, { created, keyColumnId }: Portioned): Promise<Stepped[]> {
  const made = [...created.values()];
  if (made.length === 0) return made;
  const rows = claimedRows(at, { steps: made.map(({ step }) => step), keyColumnId });
  const { done, error } = await tx.runUntilFailure([insertRecords(at.table, rows)]);
  assertWritten(done);
  if (error === undefined) return made;
  throw violatedColumn(error) === keyColumnId ? new StepsOutdated(true) : error;
}

interface Portion extends Portioned {
  readonly start: number;
  readonly end: number;
  /** Of records that elements before have written, by name. */
  readonly texts: Map<string, RecordText>;
  readonly written: Written[];
}

async function writePortion(at: InCollection, tx: Transaction, portion: Portion): Promise<Failure | undefined> {
  const { start, names, texts, written, keyColumnId } = portion;
  const { done: steps, failure } = await takePortion(at, tx, portion);
  const { done, error } = await tx.runUntilFailure(steps.map(({ row }) => updateRecords(at.table, [row])));
  assertWritten(done);
  for (const [index, { kind, row }] of steps.slice(0, done.length).entries()) {
    const text = Buffer.from(row.rec);
    written.push({ kind, row: { id: row.id }, text });
    texts.set(names[start + index]!, text);
  }
  if (error === undefined) return failure && { ...failure, index: start + failure.index };
  if (keyColumnId !== undefined && violatedColumn(error) === keyColumnId) throw new StepsOutdated(true);
  const refused = steps[done.length];
  const duplicated = refused && (await duplicatedValues(tx, at.collection, { error, refused: refusal(refused) }));
  if (duplicated === undefined) throw error;
  return { index: start + done.length, fault: duplicated };
}

async function takePortion(
  at: InCollection,
  tx: Transaction,
  { start, end, names, texts, locked, created, change }: Portion,
): Promise<{ done: Step[]; failure?: Failure }> {
  const portion = names.slice(start, end);
  const unread = [...new Set(portion)].flatMap((name) => {
    const record = locked.get(name);
    return record !== undefined && isLongRecord(record.rec) && !texts.has(name) ? record.id : [];
  });
  const read = await readLongTexts(tx, at.collection.definition.id, unread);
  const states = new Map<string, State>();
  const stateOf = (name: string): State | undefined => {
    const record = locked.get(name);
    const text = texts.get(name) ?? (record && (read.get(record.id) ?? record.rec));
    return text === undefined ? undefined : readState(at.collection, text);
  };
  return inOrder(at, portion, (name, index) => {
    const state = states.get(name) ?? stateOf(name);
    const next = (state === undefined ? created.get(name) : undefined) ?? change(start + index, state);
    states.set(name, next.state);
    return next.step;
  });
}
