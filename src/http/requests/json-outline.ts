// Finds, before anything is parsed, where the long objects and arrays of a large JSON text are divided, so that they can be
// parsed part by part. Texts that no valid body looks like are refused here, because parsing them takes long: a megabyte of
// brackets, or of unknown members, kept the event loop busy for a tenth of a second.

import { fault } from '../../faults.ts';
import type { Steps } from '../../load/slices.ts';

/** An object or array that is too long to be parsed at once. */
export interface Outline {
  /** The positions of its brackets. */
  readonly start: number;
  readonly end: number;
  /** The positions of its commas and, as bitwise complements, of its colons. */
  readonly marks: readonly number[];
  /** The long objects and arrays directly inside of it, in order. */
  readonly inside: readonly Outline[];
}

/** Valid bodies have about nine levels at most. */
export const LEVELS_MAX = 32;
/** Far above the limits of columns, Object keys and Array elements, so that values near those limits get their own errors. */
export const MEMBERS_MAX = 1_000;
export const ELEMENTS_MAX = 10_000;
/** `{"type":"Object","value":{}}`, the densest valid text, has one object or array per 14 characters. */
const CONTAINER_CHARACTERS = 14;
const CONTAINERS_FREE = 1_000;
/** A shorter one is parsed at once: a few tenths of a millisecond. */
export const LONG_CHARACTERS = 32 * 1024;
/** Between two points where the search can be interrupted: about the same time. */
const STRIDE = 128 * 1024;

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [ARRAY_START, ARRAY_END, OBJECT_START, OBJECT_END] = [0x5b, 0x5d, 0x7b, 0x7d];

interface Open {
  readonly start: number;
  readonly isArray: boolean;
  /** Where its marks begin in the stack of all marks. */
  readonly marksFrom: number;
  commas: number;
  inside: Outline[] | undefined;
}

/** The outline shows that the text is not JSON. */
export class Malformed extends Error {
  /** Undefined if the text ends too early. */
  readonly position: number | undefined;

  constructor(position: number | undefined) {
    super('not JSON');
    this.position = position;
  }
}

/**
 * The outline of a text that is one object or array; undefined if that is not long. Skips strings; the parser checks the text
 * between the marks. `elementsMax`: of the outermost array.
 */
export function* outlineOf(text: string, elementsMax: number | undefined): Steps<Outline | undefined> {
  const open: Open[] = [];
  // A stack with its own length: setting the length of an array may reallocate it.
  const marks: number[] = [];
  let marked = 0;
  let containers = 0;
  const containersMax = CONTAINERS_FREE + text.length / CONTAINER_CHARACTERS;
  let nextStop = STRIDE;
  for (let at = 0; at < text.length; at += 1) {
    if (at >= nextStop) {
      nextStop = at + STRIDE;
      yield;
    }
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) {
      at = stringUntil(text, at + 1, at + STRIDE);
      while (at < 0) {
        yield;
        at = stringUntil(text, -at, STRIDE - at);
      }
    } else if (unit === COMMA || unit === COLON) {
      const holder = open.at(-1);
      if (holder === undefined) throw new Malformed(at);
      if (unit === COMMA) {
        holder.commas += 1;
        refuseMany(holder, { at, elementsMax: open.length === 1 ? elementsMax : undefined });
        marks[marked++] = at;
      } else if (!holder.isArray) marks[marked++] = ~at;
    } else if (unit === ARRAY_START || unit === OBJECT_START) {
      containers += 1;
      if (open.length === LEVELS_MAX) throw refused(`nests deeper than ${LEVELS_MAX} levels`, at);
      if (containers > containersMax) throw refused('has more objects and arrays than fit its length', at);
      open.push({ start: at, isArray: unit === ARRAY_START, marksFrom: marked, commas: 0, inside: undefined });
    } else if (unit === ARRAY_END || unit === OBJECT_END) {
      const closed = open.pop();
      if (closed === undefined || closed.isArray !== (unit === ARRAY_END)) throw new Malformed(at);
      const { start, marksFrom, inside = [] } = closed;
      const outline =
        at - start < LONG_CHARACTERS ? undefined : { start, end: at, marks: marks.slice(marksFrom, marked), inside };
      marked = marksFrom;
      const holder = open.at(-1);
      if (holder === undefined) {
        refuseRest(text, at + 1);
        return outline;
      }
      if (outline !== undefined) {
        holder.inside ??= [];
        holder.inside.push(outline);
      }
    }
  }
  throw new Malformed(undefined);
}

/** The position of the quotation mark that ends the string; from `to` on, the negative of the position to go on from. */
function stringUntil(text: string, from: number, to: number): number {
  let at = from;
  for (const end = Math.min(to, text.length); at < end; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) return at;
    if (unit === BACKSLASH) at += 1;
  }
  if (at >= text.length) throw new Malformed(undefined);
  return -at;
}

function refuseMany(
  { isArray, commas }: Open,
  { at, elementsMax = ELEMENTS_MAX }: { at: number; elementsMax: number | undefined },
): void {
  if (!isArray && commas >= MEMBERS_MAX) throw refused(`has an object of more than ${MEMBERS_MAX} members`, at);
  if (!isArray || commas < elementsMax) return;
  // With more records than allowed, it does not matter whether the rest is JSON.
  throw elementsMax === ELEMENTS_MAX
    ? refused(`has an array of more than ${ELEMENTS_MAX} elements`, at)
    : fault('TOO_MANY_RECORDS', { maximum: elementsMax });
}

const refused = (what: string, position: number) =>
  fault('INVALID_BODY', { reason: `the body ${what} (at position ${position})` });

function refuseRest(text: string, from: number): void {
  const rest = firstSolid(text, from, text.length);
  if (rest !== undefined) throw new Malformed(rest);
}

/** The position of the first character that is not white space. */
export function firstSolid(text: string, from: number, to: number): number | undefined {
  for (let at = from; at < to; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit !== 0x20 && unit !== 0x0a && unit !== 0x0d && unit !== 0x09) return at;
  }
  return undefined;
}
