// String: any Unicode text with LF as its only line break. Nothing else is changed: no trimming, no normalisation.

import type { StringValue } from '../../wire/values.ts';
import { sha256Hex, sha256HexInSlices } from '../hash.ts';
import { describe, readMembers, required, ValueProblem, type ValueType } from './value-type.ts';

/** Keeps the key of any text well below the 2,704 bytes that a PostgreSQL index row may have. */
const KEY_BYTES_MAX = 400;

export const stringType: ValueType<StringValue> = {
  name: 'String',
  members: ['value'],
  required: ['value'],
  sortable: true,
  read(input, { path }) {
    const value = required(readMembers(stringType, input, path), 'value', path);
    if (typeof value !== 'string') {
      throw new ValueProblem(`"value" must be a string, not ${describe(value)}`, `${path}/value`);
    }
    const problem = textProblem(value);
    if (problem !== undefined) throw new ValueProblem(problem, `${path}/value`);
    return { type: 'String', value: value.includes('\r') ? withLineFeeds(value) : value };
  },
  uniqueKey: ({ value }) => (fitsKey(value) ? wholeKey(value) : digestKey(sha256Hex(value))),
};

// The prefixes keep a short text from colliding with the digest of a long one.
const wholeKey = (value: string): string => `=${value}`;
const digestKey = (digest: string): string => `#${digest}`;

export function* textKeyInSlices({ value }: StringValue): Generator<undefined, string, undefined> {
  return fitsKey(value) ? wholeKey(value) : digestKey(yield* sha256HexInSlices(value));
}

const CR = 0x0d;
const LF = 0x0a;
/** Up to this length, splitting and joining is faster than going through the characters. */
const SHORT_LENGTH_MAX = 1_024;

/** Whether numbers lie in memory as `utf16le` writes them. */
const IS_LITTLE_ENDIAN = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1;

/** Browsers, in which the console checks values, have no `Buffer`. */
function withLineFeeds(text: string): string {
  if (text.length > SHORT_LENGTH_MAX && IS_LITTLE_ENDIAN && typeof Buffer !== 'undefined')
    return withLineFeedsOfLong(text);
  const without = text.split('\r\n').join('\n');
  return without.includes('\r') ? without.split('\r').join('\n') : without;
}

/** In place: a text of 300,000 characters, a third of them carriage returns, takes a fifth of the time of splitting and joining. */
function withLineFeedsOfLong(text: string): string {
  const bytes = Buffer.allocUnsafeSlow(2 * text.length);
  bytes.write(text, 'utf16le');
  const units = new Uint16Array(bytes.buffer);
  let length = 0;
  for (let at = 0; at < units.length; at += 1) {
    const unit = units[at]!;
    if (unit !== CR) units[length++] = unit;
    else if (units[at + 1] !== LF) units[length++] = LF;
  }
  return bytes.toString('utf16le', 0, 2 * length);
}

/** Why PostgreSQL's UTF-8 text cannot hold the text; undefined when it can. Positions count code points from 0, as sent. */
function textProblem(text: string): string | undefined {
  const nul = text.indexOf('\0');
  if (nul >= 0) return `U+0000 cannot be stored (position ${codePointPosition(text, nul)})`;
  if (isWellFormed(text)) return undefined;
  const lone = text.search(/\p{Surrogate}/u);
  const unit = text.charCodeAt(lone).toString(16).toUpperCase();
  return `a surrogate without its pair, U+${unit}, is not a character (position ${codePointPosition(text, lone)})`;
}

/** ES2024: in Node 20 but not in the types that we compile against. The regular expression above is at least four times slower. */
function isWellFormed(text: string): boolean {
  return (text as string & { isWellFormed(): boolean }).isWellFormed();
}

function codePointPosition(text: string, unitIndex: number): number {
  let position = 0;
  for (const _ of text.slice(0, unitIndex)) position += 1;
  return position;
}

function fitsKey(text: string): boolean {
  // A UTF-16 unit takes at least one byte, so long texts need no counting.
  return text.length <= KEY_BYTES_MAX && Buffer.byteLength(text) <= KEY_BYTES_MAX;
}
