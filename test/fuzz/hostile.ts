// Values that break programs: what JSON, HTTP, JavaScript and PostgreSQL each read in another way than the next one does.

import type { Random } from '../search/random.ts';

/** JSON that `JSON.stringify` would not write, as text. */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

const LONG = [300, 5_000, 70_000];

const TEXTS: readonly string[] = [
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '\ud800',
  '\udfff x',
  'a\ud83d',
  '\ufffe\uffff',
  '\u202eevil',
  '\u0301\u0301',
  'ﷺ'.repeat(50),
  '🦉'.repeat(100),
  '\r\nSet-Cookie: a=b',
  '../../../../etc/passwd',
  '..\\..\\windows',
  '%00',
  '%',
  '%zz%2e%2e%2f',
  '__proto__',
  'constructor',
  'prototype',
  'hasOwnProperty',
  'toString',
  '[object Object]',
  'null',
  'undefined',
  'NaN',
  'true',
  '0',
  '-1',
  '1e309',
  '0x10',
  '9007199254740993',
  '99999999999999999999999999',
  "'; drop table records; --",
  "' or '1'='1",
  '$1',
  '\\',
  '"',
  '{{7*7}}#{7*7}',
  '=cmd|calc!A1',
  '<script>alert(1)</script>',
  'javascript:alert(1)',
  'http://127.0.0.1:1/',
  'gopher://127.0.0.1:1/',
  '2026-02-30',
  '2026-11-15T25:61:61.000Z',
  '+275760-09-13T00:00:00.001Z',
  '-271821-04-20',
  '0000-00-00',
  'p00000000000000000000000000',
  'r00000000000000000000000000',
  'u0000000',
  '(((((((((((((((((((((((((((((((((',
  '"unclosed',
  '~*?[]{}|&!^:<>=',
  'Ω≈ç√∫˜µ≤≥÷',
  'İıſß',
];

const NUMBERS: readonly unknown[] = [
  0,
  -0,
  -1,
  1.5,
  2 ** 31,
  2 ** 53,
  Number.MAX_VALUE,
  Number.MIN_VALUE,
  -(2 ** 63),
  new JsonText('1e400'),
  new JsonText('-1e-400'),
  new JsonText('1E+2'),
  new JsonText('123456789012345678901234567890.123456789'),
  new JsonText(`1${'0'.repeat(400)}`),
  new JsonText(`0.${'1'.repeat(20_000)}`),
];

/** A key that some code treats as more than a key. */
const KEYS: readonly string[] = [
  '__proto__',
  'constructor',
  'toString',
  '',
  '\u0000',
  'length',
  'then',
  'toJSON',
  '$ne',
];

const nested = (open: string, close: string, depth: number): JsonText =>
  new JsonText(open.repeat(depth) + close.repeat(depth));

const STRUCTURES: readonly ((random: Random) => unknown)[] = [
  () => null,
  () => true,
  () => [],
  () => ({}),
  () => [[]],
  () => [null],
  (random) => [hostileText(random)],
  (random) => ({ [random.pick(KEYS)]: hostileText(random) }),
  () => new JsonText('{"__proto__":{"admin":true}}'),
  () => new JsonText('{"constructor":{"prototype":{"admin":true}}}'),
  () => new JsonText('{"type":"String","type":"Number","value":1,"value":"x"}'),
  () => new JsonText('{"id":"a","id":"b"}'),
  (random) => nested('[', ']', random.pick([20, 200, 5_000])),
  (random) => new JsonText(deepObject(random.pick([20, 200, 3_000]))),
  (random) => Array.from({ length: random.pick([101, 2_000]) }, () => 0),
  (random) => Object.fromEntries(Array.from({ length: random.pick([30, 1_500]) }, (_, index) => [`k${index}`, index])),
];

const deepObject = (depth: number): string => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;

export function hostileText(random: Random): string {
  if (random.chance(0.08)) return random.pick(['x', 'é', '🦉', '\u0000', '(', ' a']).repeat(random.pick(LONG));
  const text = random.pick(TEXTS);
  return random.chance(0.2) ? text + random.pick(TEXTS) : text;
}

/** Any JSON, mostly of a kind that does not belong where it is put. */
export function hostileJson(random: Random): unknown {
  return random.weighted<() => unknown>(
    [4, () => hostileText(random)],
    [3, () => random.pick(NUMBERS)],
    [4, () => random.pick(STRUCTURES)(random)],
  )();
}

export const hostileKey = (random: Random): string => (random.chance(0.7) ? random.pick(KEYS) : hostileText(random));

/** JSON text of a value in which there may be `JsonText`. Members are written in order, also those called `__proto__`. */
export function textOf(value: unknown): string {
  if (value instanceof JsonText) return value.text;
  if (Array.isArray(value)) return `[${value.map(textOf).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    return `{${Object.entries(value)
      .map(([key, member]) => `${JSON.stringify(key)}:${textOf(member)}`)
      .join(',')}}`;
  }
  return JSON.stringify(value) ?? 'null';
}

const BAD_UTF8: readonly Buffer[] = [
  Buffer.from([0xff]),
  Buffer.from([0xc0, 0xaf]),
  Buffer.from([0xe2, 0x82]),
  Buffer.from([0xed, 0xa0, 0x80]),
  Buffer.from([0xf4, 0x90, 0x80, 0x80]),
  Buffer.from([0x00]),
  Buffer.from([0xef, 0xbb, 0xbf]),
];

/** The bytes with something in them, cut off, or doubled: what no JSON value stands for. */
export function spoilt(random: Random, bytes: Buffer): Buffer {
  const at = random.integer(0, bytes.length);
  return random.weighted<() => Buffer>(
    [4, () => Buffer.concat([bytes.subarray(0, at), random.pick(BAD_UTF8), bytes.subarray(at)])],
    [3, () => bytes.subarray(0, at)],
    [1, () => Buffer.concat([bytes, bytes])],
    [2, () => Buffer.concat([bytes.subarray(0, at), Buffer.from([random.integer(0, 255)]), bytes.subarray(at + 1)])],
  )();
}
