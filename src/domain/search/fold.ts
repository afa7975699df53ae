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
