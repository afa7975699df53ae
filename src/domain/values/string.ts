// String: any Unicode text with LF as its only line break. Nothing else is changed: no trimming, no normalisation.

import type { StringValue } from '../../wire/values.ts';
import { sha256Hex } from '../hash.ts';
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
  // The prefixes keep a short text from colliding with the digest of a long one.
  uniqueKey: ({ value }) => (fitsKey(value) ? `=${value}` : `#${sha256Hex(value)}`),
};

const CR = 0x0d;
const LF = 0x0a;
/** Up to this length, splitting and joining is faster than going through the characters. */
const SHORT_LENGTH_MAX = 1_024;
/** Arguments of a call are bounded. */
const UNITS_AT_ONCE = 8 * 1_024;

/** A text of 300,000 characters, a third of them carriage returns, took 8 ms by splitting and joining, and so it takes 4. */
function withLineFeeds(text: string): string {
  if (text.length > SHORT_LENGTH_MAX) return withLineFeedsOfLong(text);
  const without = text.split('\r\n').join('\n');
  return without.includes('\r') ? without.split('\r').join('\n') : without;
}

/** Without Node's buffers: the console checks values as well. */
function withLineFeedsOfLong(text: string): string {
  const found = new Uint16Array(text.length);
  let length = 0;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit !== CR) found[length++] = unit;
    else if (text.charCodeAt(at + 1) !== LF) found[length++] = LF;
  }
  const units = found.subarray(0, length);
  let without = '';
  for (let from = 0; from < length; from += UNITS_AT_ONCE) {
    // Spreading the units takes three times as long.
    const part: string = Reflect.apply(String.fromCharCode, undefined, units.subarray(from, from + UNITS_AT_ONCE));
    without += part;
  }
  return without;
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
