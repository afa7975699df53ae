// References are live: a record's text holds only where a reference points, and the referred value and hash are put in
// when the answer is made. The text is not parsed for it: an entry of a reference column begins with a mark known from
// the definition. The mark stands only at the entry itself: inside a JSON string its quotation marks would be escaped,
// and the key of an Object, which could end like it, is preceded by something else than `{` or `,`.

import type { Context } from '../context.ts';
import { readScope } from '../domain/access.ts';
import type { ReferenceColumn } from '../domain/application.ts';
import type { Reader } from '../store/handles.ts';
import { type Referral, type Referred, readReferred } from '../store/references.ts';
import type { InCollection } from './in-collection.ts';

const RECORD_ID_LENGTH = 27;
/** Referred values beyond this in one answer are left out: a few references to long texts could fill the memory. */
const REFERRED_CHARACTERS_MAX = 16 * 1024 * 1024;

interface Place {
  /** Just behind the closing quotation mark of the referred record's identifier. */
  readonly at: number;
  readonly recordId: string;
  readonly column: ReferenceColumn;
}

/** The texts as the caller sees them now, or at the moment of the snapshot that `reader` is. */
export async function withLiveReferences(
  at: InCollection,
  texts: readonly string[],
  reader: Reader = at.store,
): Promise<readonly string[]> {
  const { collection } = at;
  if (collection.references.length === 0) return texts;
  const places = texts.map((text) => findPlaces(collection.references, text));
  const referrals = toReferrals(at, places.flat());
  if (referrals.length === 0) return texts;
  const referred = await readReferred(reader, referrals);
  const room = { characters: REFERRED_CHARACTERS_MAX };
  return texts.map((text, index) => splice(text, places[index] ?? [], { referred, room }));
}

/**
 * The same for records that were just written. The write stands, and is told, whatever happens to what they refer to: where
 * that cannot be read the references stay unresolved. Who gets such a record is told what is wrong.
 */
export async function withLiveReferencesIfPossible(
  at: InCollection,
  texts: readonly string[],
): Promise<readonly string[]> {
  try {
    return await withLiveReferences(at, texts);
  } catch {
    return texts;
  }
}

function findPlaces(columns: readonly ReferenceColumn[], text: string): Place[] {
  const places: Place[] = [];
  for (const column of columns) {
    for (let from = 0; ; ) {
      const start = text.indexOf(column.mark, from);
      if (start === -1) break;
      const before = text[start - 1];
      const idStart = start + column.mark.length;
      if (before === '{' || before === ',') {
        places.push({
          at: idStart + RECORD_ID_LENGTH + 1,
          recordId: text.slice(idStart, idStart + RECORD_ID_LENGTH),
          column,
        });
        break;
      }
      from = idStart;
    }
  }
  return places.sort((a, b) => a.at - b.at);
}

function toReferrals(context: Pick<Context, 'application' | 'caller'>, places: readonly Place[]): Referral[] {
  const byCollection = new Map<string, { columnIds: Set<string>; recordIds: Set<string> }>();
  for (const { column, recordId } of places) {
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
  /** What may still be put into this answer. */
  readonly room: { characters: number };
}

function splice(text: string, places: readonly Place[], { referred, room }: Splicing): string {
  let result = '';
  let from = 0;
  for (const { at, recordId, column } of places) {
    const target = referred.get(column.referredCollectionId)?.get(recordId);
    if (target === undefined) continue;
    const value = target.values.get(column.referredColumnId);
    result += `${text.slice(from, at)},"recordHash":"${target.hash}"`;
    if (value !== undefined && value.length <= room.characters) {
      result += `,"value":${value}`;
      room.characters -= value.length;
    }
    from = at;
  }
  return from === 0 ? text : result + text.slice(from);
}
