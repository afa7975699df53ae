// The text by which a record is found: one for all its searchable columns, folded, in sections that tell whose text it
// is (docs/architecture.md, "Searching"). One index over it serves every search; a section is then looked at exactly.
//
// Three things in it are ours and no text's: the mark of a section, what stands between the elements of an Array, and a
// letter between neighbouring ideographs, so that two of them make the three characters that the index knows. What
// a text has of these characters itself is written as code words of three control characters. Such a word begins with
// ESCAPE, which stands nowhere else, so a term is in a section exactly when it is in the text.

import type { Column, ObjectScheme } from '../../wire/applications.ts';
import type { ObjectValue, SimpleTypeName, SimpleValue, Value, Values } from '../../wire/values.ts';
import { sha256Hex } from '../hash.ts';
import { foldText } from './fold.ts';

export const SECTION_START = '\u0001';
const ESCAPE = '\u0002';
const ELEMENT = '\u0003';
/** Counts as a letter in every locale but plain C. */
const SEPARATOR = '\u02d0';
const FIRST_DIGIT = 0x10;
const MARK_DIGITS = 12;

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what this file is about.
const OURS = /[\u0001-\u0008\u000b\u000c\u000e-\u001f\u02d0]/g;
const IDEOGRAPH = '[\\p{scx=Han}\\p{scx=Hiragana}\\p{scx=Katakana}\\p{scx=Hangul}\\p{scx=Bopomofo}]';
const NEIGHBOURS = new RegExp(`(${IDEOGRAPH})(?=${IDEOGRAPH})`, 'gu');
const MAY_BE_IDEOGRAPH = /[\u1100-\uffff]/;
/** What the index knows something of: three letters or digits, or the edge of a word. */
const INDEXED = /[\p{L}\p{N}]{3}|[\p{L}\p{N}]{2}[^\p{L}\p{N}]|[^\p{L}\p{N}][\p{L}\p{N}]/u;

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
  const place = key === undefined ? { columnId } : { columnId, key };
  return { ...place, mark: sectionMark(columnId, key) };
}

export function sectionMark(columnId: string, key?: string): string {
  const digest = sha256Hex(key === undefined ? columnId : `${columnId}.${key}`);
  return SECTION_START + [...digest.slice(0, MARK_DIGITS)].map((digit) => digitOf(Number.parseInt(digit, 16))).join('');
}

const digitOf = (number: number): string => String.fromCharCode(FIRST_DIGIT + number);

/** null when there is no text to find. An empty text makes an empty section. */
export function searchText(sections: readonly Section[], values: Values): string | null {
  let text = '';
  for (const { columnId, key, mark } of sections) {
    const value = values[columnId];
    if (value === undefined) continue;
    const pieces = textsOf(value, key);
    if (pieces.length > 0) text += mark + pieces.map(written).join(ELEMENT);
  }
  return text === '' ? null : text;
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

const written = (text: string): string => writeFolded(foldText(text));

function writeFolded(folded: string): string {
  const escaped = folded.replace(OURS, (character) => {
    const number = character === SEPARATOR ? 0 : character.charCodeAt(0);
    return ESCAPE + digitOf(number >> 4) + digitOf(number & 15);
  });
  return MAY_BE_IDEOGRAPH.test(escaped) ? escaped.replace(NEIGHBOURS, `$1${SEPARATOR}`) : escaped;
}

/** A folded term as it stands in search texts. `indexed`: whether the index can narrow the search down. */
export function searchTerm(folded: string): { text: string; indexed: boolean } {
  const text = writeFolded(folded);
  return { text, indexed: INDEXED.test(text) };
}
