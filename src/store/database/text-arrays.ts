// Arrays as parameters. `pg` writes an array as one text and escapes every quotation mark, and records are full of those: it
// blocks the event loop for 60 ms per megabyte. Texts go in PostgreSQL's binary format instead, for 1 ms.

import { PIECE_LENGTH, piecesOf } from '../../domain/text-pieces.ts';
import { atOnce, type Steps } from '../../load/slices.ts';

/** By element type: its fixed oid, and the bytes before each text. */
const ELEMENTS = {
  text: { oid: 25, prefix: [] },
  jsonb: { oid: 3802, prefix: [1] },
} as const;

/**
 * For numbers, booleans, times and identifiers, whose texts need no escaping. `pg` looks through each of them for
 * characters to escape.
 */
export const plainArray = (values: readonly (string | number | boolean | null)[]): string =>
  `{${values.map((value) => value ?? 'NULL').join(',')}}`;

const HEAD_BYTES = 20;
const LENGTH_BYTES = 4;

type ElementType = keyof typeof ELEMENTS;

/** For a parameter that the statement casts to an array of this type. */
export const textArray = (texts: readonly (string | null)[], type: ElementType = 'text'): Buffer =>
  atOnce(textArrayInSlices(texts, type));

export function* textArrayInSlices(texts: readonly (string | null)[], type: ElementType = 'text'): Steps<Buffer> {
  const { oid, prefix } = ELEMENTS[type];
  const lengths = texts.map((text) => (text === null ? 0 : prefix.length + Buffer.byteLength(text)));
  const bytes = Buffer.allocUnsafe(lengths.reduce((sum, length) => sum + LENGTH_BYTES + length, HEAD_BYTES));
  let stopAt = PIECE_LENGTH;
  let at = 0;
  // Dimensions, whether there may be nulls, element type, number of elements, lower bound.
  for (const number of [1, 1, oid, texts.length, 1]) at = bytes.writeInt32BE(number, at);
  for (const [index, text] of texts.entries()) {
    at = bytes.writeInt32BE(text === null ? -1 : lengths[index]!, at);
    if (text === null) continue;
    for (const byte of prefix) at = bytes.writeUInt8(byte, at);
    if (text.length > PIECE_LENGTH) at = yield* writeLong(bytes, text, at);
    else at += bytes.write(text, at);
    if (at < stopAt) continue;
    stopAt = at + PIECE_LENGTH;
    yield;
  }
  return bytes;
}

/** The elements of such an array, none of them null: views of its bytes. */
export function textsIn(array: Buffer): Buffer[] {
  const texts: Buffer[] = [];
  for (let at = HEAD_BYTES; at < array.length; ) {
    const start = at + LENGTH_BYTES;
    at = start + array.readInt32BE(at);
    texts.push(array.subarray(start, at));
  }
  return texts;
}

/** A text parameter in the same format: PostgreSQL's binary form of a text is its bytes. */
export function* textBytesInSlices(text: string): Steps<Buffer> {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text));
  yield* writeLong(bytes, text, 0);
  return bytes;
}

/** Returns where the text ends. */
function* writeLong(bytes: Buffer, text: string, start: number): Steps<number> {
  let at = start;
  for (const piece of piecesOf(text)) {
    at += bytes.write(piece, at);
    yield;
  }
  return at;
}
