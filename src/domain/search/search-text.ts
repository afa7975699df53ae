// Builds the search text of a record: one folded text for all its searchable columns, with one section per column or key
// (docs/architecture/search.md). One index over it serves every search; the section is then tested exactly.
//
// The index finds nothing shorter than three letters. For short terms the sections are followed by a list of every letter and
// every word of two letters that occur, each between two control characters, so that it is a word of its own.
//
// Four things are reserved: the mark of a section, the separator of an Array's elements, the edges of the listed letters, and
// the separator between neighbouring ideographs, which makes two of them the three characters that the index needs. A text
// that contains reserved characters itself has each replaced by an escape of three control characters. An escape begins with
// ESCAPE, which occurs nowhere else, so a term is in a section exactly when it is in the text.

import type { Column, ObjectScheme } from '../../wire/applications.ts';
import type { ObjectValue, SimpleTypeName, SimpleValue, Value, Values } from '../../wire/values.ts';
import { sha256Hex } from '../hash.ts';
import { digitOf, isLetter, LETTER_EDGE, SECTION_START, SearchTextWriter } from './search-text-writer.ts';

const ELEMENT = '\u0003';
const MARK_DIGITS = 12;
/** Texts that the index can help with: three letters or digits, or the edge of a word. A wrong guess costs time, not hits. */
const INDEXED = /[\p{L}\p{N}]{3}|[\p{L}\p{N}]{2}[^\p{L}\p{N}]|[^\p{L}\p{N}][\p{L}\p{N}]/u;
/** Follows the sections, in place of a section mark. */
export const LETTERS_MARK = `${SECTION_START}\u0004`;
const ASCII = [...'abcdefghijklmnopqrstuvwxyz0123456789'];
const ASCII_PAIR = /^[a-z0-9]{2}$/;

/** The text of one column, of one key of an Object, or of that key in the Objects of an Array. */
export interface Section {
  readonly columnId: string;
  readonly key?: string;
  readonly mark: string;
}

const hasText = (type: SimpleTypeName): boolean => type === 'String' || type === 'User' || type === 'Attachment';

export function sectionsOf(column: Column): Section[] {
  if (column.type === 'Object') return keySections(column.id, column.scheme);
  if (column.type === 'Array') {
    const { type, scheme } = column.scheme.element;
    if (type === 'Object') return scheme === undefined ? [] : keySections(column.id, scheme);
    return hasText(type) ? [section(column.id)] : [];
  }
  return 'scheme' in column || !hasText(column.type) ? [] : [section(column.id)];
}

const keySections = (columnId: string, { keys }: ObjectScheme): Section[] =>
  keys.filter((key) => hasText(key.type)).map((key) => section(columnId, key.name));

function section(columnId: string, key?: string): Section {
  return { columnId, ...(key === undefined ? {} : { key }), mark: sectionMark(columnId, key) };
}

export function sectionMark(columnId: string, key?: string): string {
  const digest = sha256Hex(key === undefined ? columnId : `${columnId}.${key}`);
  return SECTION_START + [...digest.slice(0, MARK_DIGITS)].map((digit) => digitOf(Number.parseInt(digit, 16))).join('');
}

const writer = new SearchTextWriter();

/** null when the record has no searchable text. An empty text makes an empty section. */
export function searchText(sections: readonly Section[], values: Values): string | null {
  writer.start({ shared: true });
  for (const { columnId, key, mark } of sections) {
    const value = values[columnId];
    if (value === undefined) continue;
    if (value.type === 'String') {
      writer.addMark(mark);
      writer.addText(value.value);
    } else {
      addTexts(mark, textsOf(value, key));
    }
  }
  if (writer.isEmpty) return null;
  writer.addLetters(LETTERS_MARK);
  return writer.finish();
}

/** The same for long values: a megabyte takes 4 ms. */
export function* searchTextInSlices(
  sections: readonly Section[],
  values: Values,
): Generator<undefined, string | null, undefined> {
  const own = new SearchTextWriter();
  own.start({ shared: false });
  for (const { columnId, key, mark } of sections) {
    const value = values[columnId];
    if (value === undefined) continue;
    for (const [index, text] of textsOf(value, key).entries()) {
      own.addMark(index === 0 ? mark : ELEMENT);
      yield* own.addTextInSlices(text);
    }
  }
  if (own.isEmpty) return null;
  own.addLetters(LETTERS_MARK);
  return own.finish();
}

function addTexts(mark: string, texts: readonly string[]): void {
  for (const [index, text] of texts.entries()) {
    writer.addMark(index === 0 ? mark : ELEMENT);
    writer.addText(text);
  }
}

function textsOf(value: Value, key: string | undefined): string[] {
  switch (value.type) {
    case 'String':
      return [value.value];
    case 'User':
    case 'Attachment':
      return [value.name];
    case 'Object':
      return textsOfKey(value, key);
    case 'Array':
      return value.value.flatMap((element: SimpleValue | ObjectValue) => textsOf(element, key));
    default:
      return [];
  }
}

function textsOfKey({ value }: ObjectValue, key: string | undefined): string[] {
  const held = key !== undefined && Object.hasOwn(value, key) ? value[key] : undefined;
  return held === undefined ? [] : textsOf(held, undefined);
}

function writeFolded(folded: string): string {
  writer.start({ shared: true });
  writer.addFolded(folded);
  return writer.finish();
}

/**
 * Whether the term, as written, cannot occur among the letters that follow the sections. These are single letters and words
 * of two, with characters between them that no term contains.
 */
export const isInSectionsAlone = (text: string): boolean =>
  text.length > 2 || [...text].some((character) => !isLetter(character));

/** A term as written in search texts, and texts that every match contains too: all of them (`every`) or any (`some`). */
export interface SearchTerm {
  readonly text: string;
  /** Undefined when the index cannot help. */
  readonly implies?: { readonly every: readonly string[] } | { readonly some: readonly string[] };
}

export function searchTerm(folded: string): SearchTerm {
  const text = writeFolded(folded);
  if (INDEXED.test(text)) return { text, implies: { every: [text] } };
  if (ASCII_PAIR.test(text)) {
    // A letter follows it, or precedes it, or it is a word by itself.
    const longer = ASCII.flatMap((letter) => [`${text}${letter}`, `${letter}${text}`]);
    return { text, implies: { some: [...longer, `${LETTER_EDGE}${text}${LETTER_EDGE}`] } };
  }
  const letters = [...new Set(text)].filter(isLetter);
  if (letters.length === 0) return { text };
  return { text, implies: { every: letters.map((letter) => `${LETTER_EDGE}${letter}${LETTER_EDGE}`) } };
}
