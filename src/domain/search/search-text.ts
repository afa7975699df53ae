// Builds the search text of a record: one folded text for all its searchable columns, with one section per column or key
// (docs/architecture/search.md). One index over it serves every search; the section is then tested exactly.
//
// The index finds nothing shorter than three letters. For short terms the sections are followed by every letter that occurs,
// between two separators, and by every word of two letters, followed by a separator.
//
// Three things are reserved: the mark of a section, the separator of an Array's elements, and the separator between
// neighbouring ideographs, which makes two of them the three characters that the index needs. A text that contains reserved
// characters itself has each replaced by an escape of three control characters. An escape begins with ESCAPE, which occurs
// nowhere else, so a term is in a section exactly when it is in the text.

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
// Stored texts depend on these sets, so they are written out: the engine's own classes of letters and scripts change with
// its version of Unicode.
/** Han, Hiragana, Katakana, Hangul, Bopomofo: first and last of each range. */
const IDEOGRAPHS = [
  [0x1100, 0x11ff],
  [0x2e80, 0x2fdf],
  [0x3005, 0x3007],
  [0x3021, 0x3029],
  [0x3031, 0x3035],
  [0x3038, 0x303b],
  [0x3041, 0x318f],
  [0x31a0, 0x31ff],
  [0x3400, 0x4dbf],
  [0x4e00, 0x9fff],
  [0xa960, 0xa97f],
  [0xac00, 0xd7ff],
  [0xf900, 0xfaff],
  [0xff66, 0xffdc],
  [0x1aff0, 0x1b16f],
  [0x20000, 0x3ffff],
] as const;
const UNITS = 0x10000;
/** 1 for each ideograph of one UTF-16 unit. */
const IDEOGRAPH_UNITS = new Uint8Array(UNITS);
for (const [first, last] of IDEOGRAPHS) if (last < UNITS) IDEOGRAPH_UNITS.fill(1, first, last + 1);
/** Letters of alphabets with few letters, beyond ASCII. */
const LETTER =
  /[\u00aa\u00b5\u00ba\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02af\u0370-\u10ff\u1200-\u1fff\u2c00-\u2dff\ua640-\ua7ff]/;
const MAY_BE_IDEOGRAPH = /[\u1100-\uffff]/;
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

const digitOf = (number: number): string => String.fromCharCode(FIRST_DIGIT + number);

/** null when the record has no searchable text. An empty text makes an empty section. */
export function searchText(sections: readonly Section[], values: Values): string | null {
  let text = '';
  for (const { columnId, key, mark } of sections) {
    const value = values[columnId];
    if (value === undefined) continue;
    const texts = textsOf(value, key);
    if (texts.length > 0) text += mark + texts.map(written).join(ELEMENT);
  }
  return text === '' ? null : text + lettersOf(text);
}

/** Scratch space of `lettersOf`: 1 for each unit of the current text; all 0 between calls. */
const seenUnits = new Uint8Array(UNITS);

/** The distinct letters and words of two letters, without ideographs. Unit by unit, because a text may be as long as a body. */
function lettersOf(text: string): string {
  const units: number[] = [];
  // Both units packed into one number: as strings they took five times as long.
  const pairs = new Set<number>();
  let run = 0;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (seenUnits[unit] === 0) {
      seenUnits[unit] = 1;
      units.push(unit);
    }
    if (isAsciiLetter(unit)) {
      run += 1;
    } else {
      if (run === 2) pairs.add(pairBefore(text, at));
      run = 0;
    }
  }
  if (run === 2) pairs.add(pairBefore(text, text.length));
  for (const unit of units) seenUnits[unit] = 0;
  const letters = units.map((unit) => String.fromCharCode(unit)).filter(isLetter);
  if (letters.length === 0) return '';
  const words = [...pairs].map((pair) => ` ${String.fromCharCode(pair >> 8, pair & 0xff)}${SEPARATOR}`).sort();
  return `${LETTERS_MARK}${SEPARATOR}${letters.sort().join(SEPARATOR)}${SEPARATOR}${words.join('')}`;
}

const pairBefore = (text: string, at: number): number => (text.charCodeAt(at - 2) << 8) | text.charCodeAt(at - 1);

const isAsciiLetter = (unit: number): boolean => (unit >= 0x61 && unit <= 0x7a) || (unit >= 0x30 && unit <= 0x39);

function isLetter(character: string): boolean {
  const code = character.charCodeAt(0);
  if (code < 0x80) return isAsciiLetter(code);
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
  return MAY_BE_IDEOGRAPH.test(escaped) ? separateIdeographs(escaped) : escaped;
}

/** Uses a buffer, because a regular expression takes ten times as long for texts of ideographs only. */
function separateIdeographs(text: string): string {
  const separated = new Uint16Array(2 * text.length);
  let length = 0;
  let follows = false;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    const codePoint = (unit & 0xfc00) === 0xd800 ? text.codePointAt(at)! : unit;
    const isIdeograph = codePoint < UNITS ? IDEOGRAPH_UNITS[codePoint] === 1 : isPairedIdeograph(codePoint);
    if (isIdeograph && follows) separated[length++] = SEPARATOR.charCodeAt(0);
    separated[length++] = unit;
    if (codePoint >= UNITS) {
      at += 1;
      separated[length++] = text.charCodeAt(at);
    }
    follows = isIdeograph;
  }
  // Unlike TextDecoder, this keeps a lone surrogate.
  return Buffer.from(separated.buffer, 0, 2 * length).toString('utf16le');
}

const isPairedIdeograph = (codePoint: number): boolean =>
  IDEOGRAPHS.some(([first, last]) => codePoint >= first && codePoint <= last);

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
    return { text, implies: { some: [...longer, `${text}${SEPARATOR}`] } };
  }
  const letters = [...new Set(text)].filter(isLetter);
  if (letters.length === 0) return { text };
  return { text, implies: { every: letters.map((letter) => `${SEPARATOR}${letter}${SEPARATOR}`) } };
}
