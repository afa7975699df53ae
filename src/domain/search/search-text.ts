// The text by which a record is found: one for all its searchable columns, folded, in sections that tell whose text it
// is (docs/architecture.md, "Searching"). One index over it serves every search; a section is then looked at exactly.
//
// The index knows nothing of less than three letters. So behind the sections stands what short terms are found by: every
// letter that occurs, between two of our own, and every word of two letters, followed by one of our own.
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
// What is stored depends on these sets, so they are written out: what an engine takes for a letter, or counts to a script,
// changes with the version of Unicode that it knows.
/** Han, Hiragana, Katakana, Hangul, Bopomofo. */
const IDEOGRAPH =
  '[\\u1100-\\u11ff\\u2e80-\\u2fdf\\u3005-\\u3007\\u3021-\\u3029\\u3031-\\u3035\\u3038-\\u303b\\u3041-\\u318f\\u31a0-\\u31ff' +
  '\\u3400-\\u4dbf\\u4e00-\\u9fff\\ua960-\\ua97f\\uac00-\\ud7ff\\uf900-\\ufaff\\uff66-\\uffdc\\u{1aff0}-\\u{1b16f}\\u{20000}-\\u{3ffff}]';
/** Of the alphabets that are written with few letters, beyond ASCII. */
const LETTER =
  /[\u00aa\u00b5\u00ba\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02af\u0370-\u10ff\u1200-\u1fff\u2c00-\u2dff\ua640-\ua7ff]/;
const NEIGHBOURS = new RegExp(`(${IDEOGRAPH})(?=${IDEOGRAPH})`, 'gu');
const MAY_BE_IDEOGRAPH = /[\u1100-\uffff]/;
/** What the index knows something of: three letters or digits, or the edge of a word. A guess costs time, no hits. */
const INDEXED = /[\p{L}\p{N}]{3}|[\p{L}\p{N}]{2}[^\p{L}\p{N}]|[^\p{L}\p{N}][\p{L}\p{N}]/u;
/** Behind the sections, in place of a mark. */
export const LETTERS_MARK = `${SECTION_START}\u0004`;
const ASCII = [...'abcdefghijklmnopqrstuvwxyz0123456789'];
const ASCII_PAIR = /^[a-z0-9]{2}$/;
const ASCII_PAIRS = /(?<![a-z0-9])[a-z0-9]{2}(?![a-z0-9])/g;

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
  return text === '' ? null : text + lettersOf(text);
}

/** Few letters stand for long texts: those that are not ideographs. */
function lettersOf(text: string): string {
  const letters: string[] = [];
  for (const character of new Set(text)) if (isLetter(character)) letters.push(character);
  const pairs = [...new Set(text.match(ASCII_PAIRS))].map((pair) => ` ${pair}${SEPARATOR}`);
  if (letters.length === 0) return '';
  return `${LETTERS_MARK}${SEPARATOR}${letters.sort().join(SEPARATOR)}${SEPARATOR}${pairs.sort().join('')}`;
}

function isLetter(character: string): boolean {
  const code = character.charCodeAt(0);
  if (code < 0x80) return (code >= 0x61 && code <= 0x7a) || (code >= 0x30 && code <= 0x39);
  return LETTER.test(character);
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

/** A term as it stands in search texts, and what every text that contains it contains as well: all of these, or any. */
export interface SearchTerm {
  readonly text: string;
  /** Undefined when the index cannot help. */
  readonly implies?: { readonly every: readonly string[] } | { readonly some: readonly string[] };
}

export function searchTerm(folded: string): SearchTerm {
  const text = writeFolded(folded);
  if (INDEXED.test(text)) return { text, implies: { every: [text] } };
  if (ASCII_PAIR.test(text)) {
    // Another letter follows, or another precedes, or it is a word by itself.
    const longer = ASCII.flatMap((letter) => [`${text}${letter}`, `${letter}${text}`]);
    return { text, implies: { some: [...longer, `${text}${SEPARATOR}`] } };
  }
  const letters = [...new Set(text)].filter(isLetter);
  if (letters.length === 0) return { text };
  return { text, implies: { every: letters.map((letter) => `${SEPARATOR}${letter}${SEPARATOR}`) } };
}
