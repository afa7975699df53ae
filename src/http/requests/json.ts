// Parses the bytes of a body: a short one at once, a long one in slices.

import { isAscii } from 'node:buffer';
import { setOwn } from '../../domain/values/object.ts';
import { fault } from '../../faults.ts';
import { freeBytes } from '../../load/freed-bytes.ts';
import type { SliceOwner, Slices, Steps } from '../../load/slices.ts';
import { firstSolid, LONG_CHARACTERS, Malformed, type Outline, outlineOf } from './json-outline.ts';

/** Up to this size parsing takes little time, whatever the body holds. */
const LARGE_BYTES = 16 * 1024;
/** Up to this length the parser finds the exact position of a mistake, often far before the bracket that does not match. */
const EXACT_CHARACTERS = 128 * 1024;

const utf8 = new TextDecoder('utf-8', { fatal: true });

interface Reading {
  readonly slices: Slices;
  readonly scope: SliceOwner;
  /** The limit of records, if the body may be an array of them. */
  readonly elementsMax: number | undefined;
}

/** A promise only if the body is large: its bytes are freed as soon as they are decoded. */
export function readJson(bytes: Buffer, { slices, scope, elementsMax }: Reading): unknown {
  if (bytes.length === 0) throw fault('INVALID_BODY', { reason: 'the body is empty; it must be JSON' });
  if (bytes.length < LARGE_BYTES) return parsePart(decode(bytes), 0);
  scope.heavy = true;
  return slices.run(scope, largeJson(bytes, elementsMax));
}

function decode(bytes: Buffer): string {
  // Most bodies are ASCII, which needs no decoder.
  if (isAscii(bytes)) return bytes.toString('latin1');
  try {
    return utf8.decode(bytes);
  } catch {
    throw fault('INVALID_BODY', { reason: 'the body is not UTF-8' });
  }
}

function* largeJson(bytes: Buffer, elementsMax: number | undefined): Steps<unknown> {
  const text = decode(bytes);
  freeBytes(bytes);
  yield;
  return yield* parseInSteps(text, elementsMax);
}

/** The result is that of JSON.parse. */
export function* parseInSteps(text: string, elementsMax: number | undefined): Steps<unknown> {
  const first = text[firstSolid(text, 0, text.length) ?? 0];
  if (first !== '[' && first !== '{') return parsePart(text, 0);
  try {
    const outline = yield* outlineOf(text, elementsMax);
    return outline === undefined ? parsePart(text, 0) : yield* parseLong(text, outline);
  } catch (error) {
    throw error instanceof Malformed ? syntaxFault(text, error.position) : error;
  }
}

function* parseLong(text: string, outline: Outline): Steps<unknown> {
  const long = outline.inside[Symbol.iterator]();
  let next = long.next().value as Outline | undefined;
  function* parseBetween(from: number, to: number): Steps<unknown> {
    if (next === undefined || next.start > to) {
      if (to - from > LONG_CHARACTERS && text[firstSolid(text, from, to) ?? from] === '"')
        return yield* parseLongString(text, from, to);
      return parsePart(text.slice(from, to), from);
    }
    const inside = next;
    next = long.next().value as Outline | undefined;
    refuseSolid(text, from, inside.start);
    refuseSolid(text, inside.end + 1, to);
    return yield* parseLong(text, inside);
  }
  return text[outline.start] === '['
    ? yield* parseArray(text, outline, parseBetween)
    : yield* parseObject(text, outline, parseBetween);
}

type Between = (from: number, to: number) => Steps<unknown>;

function* parseArray(text: string, { start, end, marks }: Outline, parseBetween: Between): Steps<unknown[]> {
  const elements: unknown[] = [];
  if (marks.length === 0 && firstSolid(text, start + 1, end) === undefined) return elements;
  let from = start + 1;
  for (const comma of marks) {
    elements.push(yield* parseBetween(from, comma));
    from = comma + 1;
    yield;
  }
  elements.push(yield* parseBetween(from, end));
  return elements;
}

function* parseObject(
  text: string,
  { start, end, marks }: Outline,
  parseBetween: Between,
): Steps<Record<string, unknown>> {
  const members: Record<string, unknown> = {};
  if (marks.length === 0 && firstSolid(text, start + 1, end) === undefined) return members;
  let from = start + 1;
  for (let mark = 0; from <= end; ) {
    const colon = ~(marks[mark] ?? 0);
    if (colon < 0) throw new Malformed(marks[mark] ?? end);
    const keyStart = firstSolid(text, from, colon) ?? colon;
    if (text[keyStart] !== '"') throw new Malformed(keyStart);
    const key = parsePart(text.slice(from, colon), from) as string;
    // A second colon belongs to the value, and makes it malformed.
    do mark += 1;
    while ((marks[mark] ?? end) < 0);
    const to = marks[mark] ?? end;
    setOwn(members, key, yield* parseBetween(colon + 1, to));
    mark += 1;
    from = to + 1;
    yield;
  }
  return members;
}

/** A string in parts, as a megabyte of escapes takes 3 ms. What is no string is left to the parser, which says where it ends. */
function* parseLongString(text: string, from: number, to: number): Steps<unknown> {
  const [start, end] = [text.indexOf('"', from) + 1, text.lastIndexOf('"', to - 1)];
  const parts: string[] = [];
  try {
    for (let at = start; at < end; ) {
      const cut = cutInString(text, at, end);
      parts.push(JSON.parse(`"${text.slice(at, cut)}"`));
      at = cut;
      yield;
    }
  } catch {
    return parsePart(text.slice(from, to), from);
  }
  refuseSolid(text, end + 1, to);
  return parts.join('');
}

const BACKSLASH = 0x5c;
/** `\u0000` has six characters. */
const ESCAPE_LENGTH_MAX = 6;

/** Where the next part ends: not within an escape. */
function cutInString(text: string, from: number, end: number): number {
  const cut = from + LONG_CHARACTERS;
  if (cut >= end) return end;
  let last = cut - 1;
  while (last > cut - ESCAPE_LENGTH_MAX && text.charCodeAt(last) !== BACKSLASH) last -= 1;
  if (text.charCodeAt(last) !== BACKSLASH) return cut;
  // Of several backslashes, each second one is escaped by the one before it.
  let first = last;
  while (first > from && text.charCodeAt(first - 1) === BACKSLASH) first -= 1;
  return first > from ? first : from + 2 * Math.floor((last - from) / 2);
}

function refuseSolid(text: string, from: number, to: number): void {
  const solid = firstSolid(text, from, to);
  if (solid !== undefined) throw new Malformed(solid);
}

/** `offset`: where the part begins in the body. */
function parsePart(text: string, offset: number): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    // Without the parser's sentence: newer versions quote the body in it.
    const position = /position (\d+)/.exec(error instanceof Error ? error.message : '')?.[1];
    throw notJson(position === undefined ? undefined : offset + Number(position));
  }
}

function syntaxFault(text: string, position: number | undefined) {
  if (text.length > EXACT_CHARACTERS) return notJson(position);
  try {
    parsePart(text, 0);
  } catch (error) {
    return error;
  }
  throw new Error('a valid JSON body was taken for malformed');
}

const notJson = (position: number | undefined) => {
  const complaint = position === undefined ? 'it ends too early or is malformed' : `malformed at position ${position}`;
  return fault('INVALID_BODY', { reason: `the body is not JSON: ${complaint}` });
};
