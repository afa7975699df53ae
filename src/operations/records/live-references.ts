// References are live: a stored record holds only the target of a reference; the referred value and hash are inserted when
// the reply is made. The text is not parsed for it: the entry of a reference column begins with a mark known from the
// definition. The mark occurs nowhere else: inside a JSON string its quotation marks would be escaped, and an Object's key
// that ends like it is not preceded by `{` or `,`.

import type { Context } from '../../context.ts';
import type { ReferenceColumn } from '../../domain/definition/application.ts';
import { readScope } from '../../domain/people/access.ts';
import type { RecordText } from '../../domain/records/record-text.ts';
import { BytesNeeded } from '../../load/byte-budget.ts';
import type { Steps } from '../../load/slices.ts';
import type { Reader } from '../../store/database/handles.ts';
import { LONG_ALONE_BYTES } from '../../store/records/long-records.ts';
import { type Referral, type Referred, readReferred } from '../../store/records/references.ts';
import { withBytes } from '../held-bytes.ts';
import type { InCollection } from '../in-collection.ts';
import { readLongValues } from './long-references.ts';

const RECORD_ID_LENGTH = 27;
const [OPEN, COMMA] = [0x7b, 0x2c];
/** A reply omits further referred values: many references to long texts could fill the memory. */
const REFERRED_CHARACTERS_MAX = 16 * 1024 * 1024;

interface ReferenceEntry {
  /** The offset after the closing quotation mark of the referred record's identifier. */
  readonly at: number;
  readonly recordId: string;
  readonly column: ReferenceColumn;
}

/** The texts, none of them long, with the referred values that the caller sees now. */
export async function withLiveReferences(at: InCollection, texts: readonly string[]): Promise<readonly RecordText[]> {
  if (at.collection.references.length === 0) return texts;
  return withBytes(at, () => withLiveReferencesFrom(at, at.store, texts));
}

/**
 * The texts with the referred values that the caller sees now, or in the snapshot that `reader` is. Must run inside
 * `withBytes`: long referred values need budget besides that of the texts.
 */
export async function withLiveReferencesFrom(
  at: InCollection,
  reader: Reader,
  texts: readonly RecordText[],
  { longToo = true } = {},
): Promise<readonly RecordText[]> {
  const { collection } = at;
  if (collection.references.length === 0) return texts;
  const entries = texts.map((text) => findEntries(collection.references, text));
  const all = entries.flat();
  const referrals = toReferrals(at, all);
  if (referrals.length === 0) return texts;
  const referred = await readReferred(reader, referrals);
  const budget = { characters: REFERRED_CHARACTERS_MAX };
  if (longToo) {
    const held = texts.reduce((sum, text) => (typeof text === 'string' ? sum : sum + text.length), 0);
    const long = { referrals, referred, entries: all, held, charactersMax: budget.characters };
    await readLongValues(at, reader, long);
  }
  const splicing = { referred, budget };
  if (isLong(referred)) return at.slices.run(at.scope, spliceInSteps(texts, entries, splicing));
  return texts.map((text, index) => splice(text, entries[index] ?? [], splicing));
}

/** Inserting values of a megabyte into a page takes the event loop 30 ms. */
function isLong(referred: Splicing['referred']): boolean {
  let characters = 0;
  for (const records of referred.values())
    for (const { values } of records.values()) for (const value of values.values()) characters += value.length;
  return characters > LONG_ALONE_BYTES;
}

function* spliceInSteps(
  texts: readonly RecordText[],
  entries: readonly (readonly ReferenceEntry[])[],
  splicing: Splicing,
): Steps<RecordText[]> {
  const spliced: RecordText[] = [];
  for (const [index, text] of texts.entries()) {
    if (index > 0) yield;
    spliced.push(splice(text, entries[index] ?? [], splicing));
  }
  return spliced;
}

/**
 * The same for records that were just written. The write is committed and must be reported: if referred values cannot be
 * read, the references stay unresolved in this reply. Nor does it wait for budget for long values, because a failed wait
 * would report that nothing was done.
 */
export async function withLiveReferencesIfPossible(
  at: InCollection,
  texts: readonly RecordText[],
): Promise<readonly RecordText[]> {
  try {
    return await withLiveReferencesFrom(at, at.store, texts).catch((error: unknown) => {
      if (error instanceof BytesNeeded) return withLiveReferencesFrom(at, at.store, texts, { longToo: false });
      throw error;
    });
  } catch {
    return texts;
  }
}

function findEntries(columns: readonly ReferenceColumn[], text: RecordText): ReferenceEntry[] {
  const entries: ReferenceEntry[] = [];
  for (const column of columns) {
    for (let from = 0; ; ) {
      const start = text.indexOf(column.mark, from);
      if (start === -1) break;
      const before = typeof text === 'string' ? text.charCodeAt(start - 1) : text[start - 1];
      const idStart = start + column.mark.length;
      if (before === OPEN || before === COMMA) {
        entries.push({
          at: idStart + RECORD_ID_LENGTH + 1,
          recordId: partOf(text, idStart, idStart + RECORD_ID_LENGTH),
          column,
        });
        break;
      }
      from = idStart;
    }
  }
  return entries.length > 1 ? entries.sort((a, b) => a.at - b.at) : entries;
}

/** Only for parts whose characters are single bytes. */
const partOf = (text: RecordText, start: number, end: number): string =>
  typeof text === 'string' ? text.slice(start, end) : text.toString('latin1', start, end);

function toReferrals(context: Pick<Context, 'application' | 'caller'>, entries: readonly ReferenceEntry[]): Referral[] {
  const byCollection = new Map<string, { columnIds: Set<string>; recordIds: Set<string> }>();
  for (const { column, recordId } of entries) {
    const entry = byCollection.get(column.referredCollectionId) ?? { columnIds: new Set(), recordIds: new Set() };
    entry.columnIds.add(column.referredColumnId);
    entry.recordIds.add(recordId);
    byCollection.set(column.referredCollectionId, entry);
  }
  return [...byCollection].flatMap(([collectionId, { columnIds, recordIds }]) => {
    const collection = context.application.collections.get(collectionId);
    if (collection === undefined) return [];
    const scope = readScope(collection.definition, context.caller);
    return { collectionId, columnIds: [...columnIds], recordIds: [...recordIds], scope };
  });
}

interface Splicing {
  readonly referred: Map<string, Map<string, Referred>>;
  /** What may still be inserted into this reply. */
  readonly budget: { characters: number };
}

function splice(text: RecordText, entries: readonly ReferenceEntry[], splicing: Splicing): RecordText {
  if (typeof text !== 'string') return spliceBytes(text, entries, splicing);
  let result = '';
  let from = 0;
  for (const entry of entries) {
    const members = membersOf(entry, splicing);
    if (members === undefined) continue;
    result += text.slice(from, entry.at) + members;
    from = entry.at;
  }
  if (from === 0) return text;
  result += text.slice(from);
  return result.length > LONG_ALONE_BYTES ? Buffer.from(result) : result;
}

function spliceBytes(text: Buffer, entries: readonly ReferenceEntry[], splicing: Splicing): Buffer {
  const parts: Buffer[] = [];
  let from = 0;
  for (const entry of entries) {
    const members = membersOf(entry, splicing);
    if (members === undefined) continue;
    parts.push(text.subarray(from, entry.at), Buffer.from(members));
    from = entry.at;
  }
  return from === 0 ? text : Buffer.concat([...parts, text.subarray(from)]);
}

/** The JSON members that a resolved reference adds; undefined if it does not resolve. */
function membersOf({ recordId, column }: ReferenceEntry, { referred, budget }: Splicing): string | undefined {
  const target = referred.get(column.referredCollectionId)?.get(recordId);
  if (target === undefined) return undefined;
  const value = target.values.get(column.referredColumnId);
  const hash = `,"recordHash":"${target.hash}"`;
  if (value === undefined || value.length > budget.characters) return hash;
  budget.characters -= value.length;
  return `${hash},"value":${value}`;
}
