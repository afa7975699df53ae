// Folds texts for comparison without case: NFC, then Unicode simple case folding by code point, then NFC again. Stored texts
// and search terms go through the same function.

import { CASE_FOLDING } from './case-folding.ts';

const ASCII = /^[\0-\x7f]*$/;
const UNITS = 0x10000;

/** The folded form of each UTF-16 unit, and by code point the number to add to the second half of a surrogate pair. */
const FOLDED_UNITS = Uint16Array.from({ length: UNITS }, (_, unit) => unit);
const ADDED_TO_PAIRS = new Map<number, number>();
for (let row = 0; row < CASE_FOLDING.length; row += 4) {
  const [first, last, step, added] = CASE_FOLDING.slice(row, row + 4) as [number, number, number, number];
  for (let codePoint = first; codePoint <= last; codePoint += step) {
    if (codePoint < UNITS) FOLDED_UNITS[codePoint] = codePoint + added;
    else ADDED_TO_PAIRS.set(codePoint, added);
  }
}

/**
 * Units that no normalization changes, alone or beside each other, and whose folded forms are such units too: ASCII and Latin,
 * Cyrillic, kana, ideographs and what stands between them. Unicode keeps that so.
 */
const NORMALIZED = [
  [0x00, 0x2ff],
  [0x400, 0x482],
  [0x3000, 0x3029],
  [0x3041, 0x3096],
  [0x30a0, 0x30ff],
  [0x3400, 0x4dbf],
  [0x4e00, 0x9fff],
  [0xff01, 0xff60],
] as const;
const NORMALIZED_UNITS = new Uint8Array(UNITS);
for (const [first, last] of NORMALIZED) NORMALIZED_UNITS.fill(1, first, last + 1);

/**
 * Further units that no normalization joins with what stands before them: letters of Greek, Hebrew, Arabic and Thai,
 * syllables of Hangul, and the first halves of emoji.
 */
const DIVIDING = [
  [0x391, 0x3a1],
  [0x3a3, 0x3c9],
  [0x5d0, 0x5ea],
  [0x620, 0x64a],
  [0xe01, 0xe30],
  [0xac00, 0xd7a3],
  [0xd83c, 0xd83e],
] as const;
const DIVIDING_UNITS = NORMALIZED_UNITS.slice();
for (const [first, last] of DIVIDING) DIVIDING_UNITS.fill(1, first, last + 1);

/** Whether what stands before the unit and what begins with it can be folded by themselves. */
export const isDividing = (unit: number): boolean => DIVIDING_UNITS[unit] === 1;

/** Whether the text is in NFC and remains so when it is folded unit by unit. False for some texts that are as well. */
export function isNormalized(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) {
    if (NORMALIZED_UNITS[text.charCodeAt(index)] === 0) return false;
  }
  return true;
}

/** The folded form of one unit of a normalized text. */
export const foldUnit = (unit: number): number => FOLDED_UNITS[unit]!;

export function foldText(text: string): string {
  // For ASCII both foldings are the same, and the engine's own is faster.
  if (ASCII.test(text)) return text.toLowerCase();
  return foldUnits(text.normalize('NFC')).normalize('NFC');
}

/** Unit by unit into a buffer, for speed: every stored text is folded here. */
function foldUnits(text: string): string {
  const folded = new Uint16Array(text.length);
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    folded[index] = FOLDED_UNITS[unit]!;
    const beginsPair = (unit & 0xfc00) === 0xd800;
    const added = beginsPair ? ADDED_TO_PAIRS.get(text.codePointAt(index)!) : undefined;
    if (added !== undefined) {
      index += 1;
      folded[index] = text.charCodeAt(index) + added;
    }
  }
  // Unlike TextDecoder, this keeps a lone surrogate.
  return Buffer.from(folded.buffer).toString('utf16le');
}
