// The form of a large JSON text, found before anything is parsed: where its long objects and arrays are divided, so that they
// can be parsed piece by piece. What no body of ours looks like is refused here, because parsing it takes long: a megabyte of
// brackets, or of members that nobody knows, kept the event loop busy for a tenth of a second.

import { fault } from '../../faults.ts';
import type { Steps } from '../../request/slices.ts';

/** An object or array that is too long to be parsed at once. */
export interface Outline {
  /** Of its brackets. */
  readonly start: number;
  readonly end: number;
  /** Where its commas are, and, as the complement of the place, its colons. */
  readonly marks: readonly number[];
  /** Those directly inside of it that are too long as well, in order. */
  readonly inside: readonly Outline[];
}

/** Bodies have about nine levels at most. */
export const LEVELS_MAX = 32;
/** Far beyond what a collection has columns, an Object keys and an Array elements, so that near those bounds their own errors are told. */
export const MEMBERS_MAX = 1_000;
export const ELEMENTS_MAX = 10_000;
/** `{"type":"Object","value":{}}` has one for each 14 characters, which nothing else comes near. */
const CONTAINER_CHARACTERS = 14;
const CONTAINERS_FREE = 1_000;
/** What is shorter is parsed at once: a few tenths of a millisecond. */
const LONG_CHARACTERS = 32 * 1024;
/** Between two places where the search can be interrupted: about as long. */
const STRIDE = 128 * 1024;

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [ARRAY_START, ARRAY_END, OBJECT_START, OBJECT_END] = [0x5b, 0x5d, 0x7b, 0x7d];

interface Open {
  readonly start: number;
  readonly isArray: boolean;
  /** Its marks begin there in the stack of all. */
  readonly marksFrom: number;
  commas: number;
  inside: Outline[] | undefined;
}

/** What is wrong with the text, as far as its form shows: it is no JSON. */
export class Malformed extends Error {
  /** Undefined where it ends too early. */
  readonly position: number | undefined;

  constructor(position: number | undefined) {
    super('not JSON');
    this.position = position;
  }
}

/**
 * The outline of a text that is one object or array, undefined if that is not long. Strings are passed over; whether all between the
 * marks is JSON is for the parser to say. `elementsMax`: of the outermost array.
 */
export function* outlineOf(text: string, elementsMax: number | undefined): Steps<Outline | undefined> {
  const open: Open[] = [];
  // A stack by hand: cutting an array to a length may move it.
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
      at = endOfString(text, at);
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

function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) return at;
    if (unit === BACKSLASH) at += 1;
  }
  throw new Malformed(undefined);
}

function refuseMany(
  { isArray, commas }: Open,
  { at, elementsMax = ELEMENTS_MAX }: { at: number; elementsMax: number | undefined },
): void {
  if (!isArray && commas >= MEMBERS_MAX) throw refused(`has an object of more than ${MEMBERS_MAX} members`, at);
  if (!isArray || commas < elementsMax) return;
  // More records than are allowed, and so many that it need not be known whether the rest is JSON.
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

/** The place of the first character that is no white space. */
export function firstSolid(text: string, from: number, to: number): number | undefined {
  for (let at = from; at < to; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit !== 0x20 && unit !== 0x0a && unit !== 0x0d && unit !== 0x09) return at;
  }
  return undefined;
}
