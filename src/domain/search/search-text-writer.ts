// Writes folded texts in the form of search texts (domain/search/search-text): reserved characters escaped, neighbouring
// ideographs separated, and the letters and words of two letters that occur noted. All in one pass over UTF-16 units, into a
// buffer that all texts share: for a record of 350 characters it takes a third of the time that expressions and strings took.

import { foldText, foldUnit, isDividing, isNormalized } from './fold.ts';

export const SECTION_START = '\u0001';
const ESCAPE = 0x02;
/** Stands before and after every entry of the list of letters. */
export const LETTER_EDGE = '\u0005';
const LETTER_EDGE_UNIT = LETTER_EDGE.charCodeAt(0);
/** Counts as a letter in every locale but plain C. */
const SEPARATOR = '\u02d0';
const SEPARATOR_UNIT = SEPARATOR.charCodeAt(0);
const FIRST_DIGIT = 0x10;

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
/** Letters of alphabets with few letters, beyond ASCII. */
const LETTERS = [
  [0xaa, 0xaa],
  [0xb5, 0xb5],
  [0xba, 0xba],
  [0xc0, 0xd6],
  [0xd8, 0xf6],
  [0xf8, 0x2af],
  [0x370, 0x10ff],
  [0x1200, 0x1fff],
  [0x2c00, 0x2dff],
  [0xa640, 0xa7ff],
] as const;
/** Control characters, except tabulator and line breaks, which texts contain as they are. */
const RESERVED = [
  [0x01, 0x08],
  [0x0b, 0x0c],
  [0x0e, 0x1f],
  [SEPARATOR_UNIT, SEPARATOR_UNIT],
] as const;

const UNITS = 0x10000;
const ASCII_UNITS = 0x80;
/** 0 is every other unit. */
const [ASCII_LETTER, LETTER, IDEOGRAPH, HIGH_SURROGATE, RESERVED_UNIT] = [1, 2, 3, 4, 5] as const;
const KINDS = new Uint8Array(UNITS);
const classify = (ranges: readonly (readonly [number, number])[], kind: number): void => {
  for (const [first, last] of ranges) if (last < UNITS) KINDS.fill(kind, first, last + 1);
};
classify(LETTERS, LETTER);
classify(IDEOGRAPHS, IDEOGRAPH);
classify([[0xd800, 0xdbff]], HIGH_SURROGATE);
classify(RESERVED, RESERVED_UNIT);
classify(
  [
    [0x30, 0x39],
    [0x61, 0x7a],
  ],
  ASCII_LETTER,
);

/** A letter or digit of an alphabet with few of them. */
export function isLetter(character: string): boolean {
  const kind = KINDS[character.charCodeAt(0)];
  return kind === ASCII_LETTER || kind === LETTER;
}

export const digitOf = (number: number): string => String.fromCharCode(FIRST_DIGIT + number);

/** A reserved character becomes three units; an ideograph, which takes a separator, two. */
const UNITS_PER_UNIT = 3;
/** The buffer is kept between texts up to this size; a longer text gets one of its own. */
const KEPT_UNITS = 0x8000;
const kept = new Uint16Array(KEPT_UNITS);
/** One more, for a long text that others may interrupt: a batch of a hundred of them would allocate megabytes. */
const SPARE_UNITS = 0x10000;
let spare: Uint16Array<ArrayBuffer> | undefined;
const NONE = new Uint16Array(0);
const NARROW_MAX = 0xff;
/** Shorter texts are read faster from the string. */
const BYTES_MIN = 32;
const FOLDED_ASCII = Uint8Array.from({ length: ASCII_UNITS }, (_, unit) => foldUnit(unit));
const narrow = Buffer.allocUnsafeSlow(SPARE_UNITS);
/** Between two points where the writing can be interrupted: a few tenths of a millisecond. */
const STRIDE = 0x4000;

export class SearchTextWriter {
  #units: Uint16Array<ArrayBuffer> = kept;
  #length = 0;
  /** Whether a unit takes more than a byte. */
  #isWide = false;
  /** Of the text that is being added: the letters and digits at its end, and whether an ideograph is its last character. */
  #run = 0;
  #follows = false;
  /** 1 for each ASCII letter or digit that occurs. */
  readonly #ascii = new Uint8Array(ASCII_UNITS);
  readonly #letters = new Set<number>();
  /** Words of two letters, both units in one number: as strings they took five times as long. */
  readonly #pairs = new Set<number>();

  /** Begins a new text, in a buffer of its own if others may be written before it is finished. */
  start({ shared }: { readonly shared: boolean }): void {
    this.#units = shared ? kept : NONE;
    this.#length = 0;
    this.#isWide = false;
    this.#ascii.fill(0);
    this.#letters.clear();
    this.#pairs.clear();
  }

  /** Adds a text as it is: a mark, which contains no letters. */
  addMark(mark: string): void {
    this.#reserve(mark.length);
    for (let at = 0; at < mark.length; at += 1) this.#units[this.#length++] = mark.charCodeAt(at);
  }

  addText(text: string): void {
    this.#addUnfolded(text);
    this.#endText();
  }

  /** The same for a long text, in parts that can be folded by themselves. */
  *addTextInSlices(text: string): Generator<undefined, void, undefined> {
    for (let from = 0; from < text.length; ) {
      let to = Math.min(from + STRIDE, text.length);
      while (to < text.length && !isDividing(text.charCodeAt(to))) to += 1;
      this.#addUnfolded(text.slice(from, to));
      from = to;
      yield;
    }
    this.#endText();
  }

  /** Adds a text that is already folded. */
  addFolded(folded: string): void {
    this.#add(folded, false);
    this.#endText();
  }

  #endText(): void {
    if (this.#run === 2) this.#pairs.add((this.#units[this.#length - 2]! << 8) | this.#units[this.#length - 1]!);
    this.#run = 0;
    this.#follows = false;
  }

  #addUnfolded(text: string): void {
    if (this.#addAscii(text)) return;
    if (isNormalized(text)) this.#add(text, true);
    else this.#add(foldText(text), false);
  }

  /**
   * Returns false, and adds nothing, if the text is not ASCII or too short for it to pay off. From bytes this takes a third of
   * the time.
   */
  #addAscii(text: string): boolean {
    if (!mayBeAscii(text) || narrow.write(text) !== text.length) return false;
    this.#reserve(UNITS_PER_UNIT * text.length);
    const units = this.#units;
    const ascii = this.#ascii;
    let length = this.#length;
    let run = this.#run;
    for (let at = 0; at < text.length; at += 1) {
      const unit = FOLDED_ASCII[narrow[at]!]!;
      const kind = KINDS[unit];
      if (kind === ASCII_LETTER) {
        ascii[unit] = 1;
        units[length++] = unit;
        run += 1;
        continue;
      }
      if (run === 2) this.#pairs.add((units[length - 2]! << 8) | units[length - 1]!);
      run = 0;
      if (kind === RESERVED_UNIT) length = writeEscape(units, length, unit);
      else units[length++] = unit;
    }
    this.#length = length;
    this.#run = run;
    this.#follows = false;
    return true;
  }

  #add(text: string, folds: boolean): void {
    this.#reserve(UNITS_PER_UNIT * text.length);
    const units = this.#units;
    const ascii = this.#ascii;
    let length = this.#length;
    let run = this.#run;
    let follows = this.#follows;
    let isWide = this.#isWide;
    for (let at = 0; at < text.length; at += 1) {
      const unit = folds ? foldUnit(text.charCodeAt(at)) : text.charCodeAt(at);
      const kind = KINDS[unit]!;
      if (kind === ASCII_LETTER) {
        ascii[unit] = 1;
        units[length++] = unit;
        run += 1;
        follows = false;
        continue;
      }
      if (run === 2) this.#pairs.add((units[length - 2]! << 8) | units[length - 1]!);
      run = 0;
      if (kind === RESERVED_UNIT) {
        length = writeEscape(units, length, unit);
        follows = false;
        continue;
      }
      const isPair = kind === HIGH_SURROGATE && text.codePointAt(at)! >= UNITS;
      const isIdeograph = kind === IDEOGRAPH || (isPair && isPairedIdeograph(text.codePointAt(at)!));
      if (isIdeograph && follows) units[length++] = SEPARATOR_UNIT;
      if (kind === LETTER) this.#letters.add(unit);
      if (unit > NARROW_MAX) isWide = true;
      units[length++] = unit;
      if (isPair) {
        at += 1;
        units[length++] = text.charCodeAt(at);
      }
      follows = isIdeograph;
    }
    this.#length = length;
    this.#run = run;
    this.#follows = follows;
    this.#isWide = isWide;
  }

  /**
   * Adds a list of the letters and the words of two letters that occur. Each is a word to the index: one letter makes two
   * trigrams, of which most texts have the first anyway, and two letters make none that their text has not. With letters
   * joined by a separator that counts as a letter, records took a tenth longer to enter the index, and Latin ones a fifth:
   * of ASCII trigrams alone, PostgreSQL need not sort the list twice.
   */
  addLetters(mark: string): void {
    const letters: number[] = [];
    for (let unit = 0; unit < ASCII_UNITS; unit += 1) if (this.#ascii[unit] === 1) letters.push(unit);
    if (this.#letters.size > 0) letters.push(...[...this.#letters].sort((one, other) => one - other));
    if (letters.length === 0) return;
    const pairs = [...this.#pairs].sort((one, other) => one - other);
    this.#reserve(mark.length + 1 + 2 * letters.length + 3 * pairs.length);
    this.addMark(mark);
    const units = this.#units;
    units[this.#length++] = LETTER_EDGE_UNIT;
    for (const letter of letters) {
      units[this.#length++] = letter;
      units[this.#length++] = LETTER_EDGE_UNIT;
    }
    for (const pair of pairs) {
      units[this.#length++] = pair >> 8;
      units[this.#length++] = pair & 0xff;
      units[this.#length++] = LETTER_EDGE_UNIT;
    }
  }

  get isEmpty(): boolean {
    return this.#length === 0;
  }

  /** What was written since the start. */
  finish(): string {
    const text = this.#isWide || this.#length > SPARE_UNITS ? this.#wideText() : this.#narrowText();
    if (this.#units.length === SPARE_UNITS) spare = this.#units;
    this.#units = kept;
    return text;
  }

  /** Unlike TextDecoder, this keeps a lone surrogate. */
  #wideText(): string {
    return Buffer.from(this.#units.buffer, 0, 2 * this.#length).toString('utf16le');
  }

  /** Takes half the memory, and no more time. */
  #narrowText(): string {
    narrow.set(this.#units.subarray(0, this.#length));
    return narrow.toString('latin1', 0, this.#length);
  }

  #reserve(more: number): void {
    const needed = this.#length + more;
    if (needed <= this.#units.length) return;
    const units = needed <= SPARE_UNITS ? takeSpare() : new Uint16Array(Math.max(needed, 2 * this.#length));
    units.set(this.#units.subarray(0, this.#length));
    this.#units = units;
  }
}

/** Returns where the escape of a reserved unit ends. */
function writeEscape(units: Uint16Array, at: number, unit: number): number {
  const number = unit === SEPARATOR_UNIT ? 0 : unit;
  units[at] = ESCAPE;
  units[at + 1] = FIRST_DIGIT + (number >> 4);
  units[at + 2] = FIRST_DIGIT + (number & 15);
  return at + 3;
}

/** Looks at some characters. Of a text as long as the buffer it could not be told whether all of it was written. */
function mayBeAscii(text: string): boolean {
  const { length } = text;
  if (length < BYTES_MIN || length + UNITS_PER_UNIT >= narrow.length) return false;
  const step = length >> 3;
  for (let at = length - 1; at >= 0; at -= step) if (text.charCodeAt(at) >= ASCII_UNITS) return false;
  return true;
}

function takeSpare(): Uint16Array<ArrayBuffer> {
  const units = spare ?? new Uint16Array(SPARE_UNITS);
  spare = undefined;
  return units;
}

const isPairedIdeograph = (codePoint: number): boolean =>
  IDEOGRAPHS.some(([first, last]) => codePoint >= first && codePoint <= last);
