// One text for one JSON value: keys sorted by UTF-16 code unit at every level, no white space, numbers and strings as
// RFC 8785 writes them. It is what record hashes are made of, so a change here changes every hash.

import type { Value, Values } from '../../wire/values.ts';

/** Quoting by hand beats JSON.stringify up to about this length (6.1 against 11 µs for a record of eight columns). */
const QUOTED_BY_HAND_MAX = 64;
/** From this length on a text is quoted without a copy: a batch of long ones would make megabytes of garbage. */
const LONG_TEXT = 1024;
/** What JSON.stringify escapes in a string; some surrogates stand alone. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON escapes them.
const ESCAPED = /["\\\u0000-\u001f\ud800-\udfff]/;

/** Throws for a value that JSON cannot hold: that is a bug. Recursion is as deep as the value, at most four levels. */
export function canonicalJson(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return quote(value);
    case 'number':
      return writeNumber(value);
    case 'boolean':
      return value ? 'true' : 'false';
    case 'object':
      if (value === null) return 'null';
      return Array.isArray(value) ? canonicalArray(value) : canonicalObject(value as Record<string, unknown>);
    default:
      throw new Error(`A ${typeof value} has no JSON form`);
  }
}

function writeNumber(value: number): string {
  if (!Number.isFinite(value)) throw new Error(`${value} has no JSON form`);
  return String(value);
}

/** From this many elements on, checking whether JSON.stringify may be used pays off: 9 ms for a megabyte instead of 25. */
const WRITTEN_BY_HAND_MAX = 32;

/**
 * The values of a record in the same form. Their keys are identifiers, and most values have two members whose order is known:
 * not sorting and quoting those halves the time.
 */
export function canonicalValues(values: Values): string {
  const columnIds = sortedColumnIds(values);
  let text = '{';
  for (let index = 0; index < columnIds.length; index += 1) {
    const columnId = columnIds[index]!;
    text += `${index > 0 ? ',"' : '"'}${columnId}":${canonicalValue(values[columnId]!)}`;
  }
  return `${text}}`;
}

/** Yields between slices of long arrays, because the values of one record can take 30 ms. */
export function* canonicalValuesInSlices(values: Values): Generator<undefined, string, undefined> {
  let text = '';
  for (const columnId of sortedColumnIds(values)) {
    const value = values[columnId]!;
    text += text === '' ? '{"' : ',"';
    if (value.type === 'Array' && value.value.length > WRITTEN_BY_HAND_MAX) {
      text += `${columnId}":{"type":"Array","value":[${yield* elementsInSlices(value.value)}]}`;
    } else {
      text += `${columnId}":${canonicalValue(value)}`;
    }
  }
  return text === '' ? '{}' : `${text}}`;
}

let lastColumnIds: readonly string[] = [];
let lastSorted: readonly string[] = [];

/** Most records name their columns in the order of the record before, and telling that is faster than sorting. */
function sortedColumnIds(values: Values): readonly string[] {
  const columnIds = Object.keys(values);
  if (!areSame(columnIds, lastColumnIds)) {
    lastColumnIds = columnIds;
    lastSorted = columnIds.toSorted();
  }
  return lastSorted;
}

function areSame(some: readonly string[], others: readonly string[]): boolean {
  if (some.length !== others.length) return false;
  for (let index = 0; index < some.length; index += 1) if (some[index] !== others[index]) return false;
  return true;
}

function canonicalValue(value: Value): string {
  switch (value.type) {
    case 'String':
      return `{"type":"String","value":${quote(value.value)}}`;
    case 'Number':
      return `{"type":"Number","value":${writeNumber(value.value)}}`;
    case 'Boolean':
      return value.value ? '{"type":"Boolean","value":true}' : '{"type":"Boolean","value":false}';
    case 'Date':
    case 'DateTime':
    case 'Time':
      return `{"type":"${value.type}","value":"${value.value}"}`;
    default:
      return canonicalJson(value);
  }
}

function* elementsInSlices(elements: readonly unknown[]): Generator<undefined, string, undefined> {
  const pieces: string[] = [];
  for (let from = 0; from < elements.length; from += WRITTEN_BY_HAND_MAX) {
    yield;
    pieces.push(canonicalArray(elements.slice(from, from + WRITTEN_BY_HAND_MAX)).slice(1, -1));
  }
  return pieces.join(',');
}

function canonicalArray(elements: readonly unknown[]): string {
  if (elements.length >= WRITTEN_BY_HAND_MAX && elements.every(isInOrder)) return JSON.stringify(elements);
  let text = '[';
  for (let index = 0; index < elements.length; index += 1) {
    if (index > 0) text += ',';
    text += canonicalJson(elements[index]);
  }
  return `${text}]`;
}

function canonicalObject(members: Record<string, unknown>): string {
  const keys = sortedKeys(members);
  let text = '{';
  for (let index = 0; index < keys.length; index += 1) {
    const key = keys[index]!;
    if (index > 0) text += ',';
    text += `${quote(key)}:${canonicalJson(members[key])}`;
  }
  return `${text}}`;
}

/** Whether JSON.stringify writes the value in canonical form. */
function isInOrder(value: unknown): boolean {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return true;
    case 'number':
      return Number.isFinite(value);
    case 'object':
      if (value === null) return true;
      if (Array.isArray(value)) return value.every(isInOrder);
      return areMembersInOrder(value as Record<string, unknown>);
    default:
      return false;
  }
}

function areMembersInOrder(members: Record<string, unknown>): boolean {
  let before = '';
  for (const key in members) {
    if (key < before || !isInOrder(members[key])) return false;
    before = key;
  }
  return true;
}

/** Own keys only, so an own `__proto__` is a key like any other. */
function sortedKeys(members: object): string[] {
  const keys = Object.keys(members);
  for (let index = 1; index < keys.length; index += 1) {
    if (keys[index]! < keys[index - 1]!) return keys.sort();
  }
  return keys;
}

function quote(text: string): string {
  if (text.length >= LONG_TEXT && !ESCAPED.test(text)) return `"${text}"`;
  if (text.length > QUOTED_BY_HAND_MAX) return JSON.stringify(text);
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    // Control characters, `"`, `\` and surrogates (which may stand alone) are left to JSON.stringify.
    if (unit < 0x20 || unit === 0x22 || unit === 0x5c || unit >= 0xd800) return JSON.stringify(text);
  }
  return `"${text}"`;
}
