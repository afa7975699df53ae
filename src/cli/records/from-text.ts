// From what a person types, or from plain JSON, to values of the interface: `Started=2026-11-16T10:00Z` is a DateTime
// because its column is one. The server checks the values; what cannot be one at all is said here, with an example.

import type {
  ArrayScheme,
  CollectionDefinition,
  ColumnDefinition,
  ObjectScheme,
  ReferenceScheme,
} from '../../../client/src/shapes.ts';
import { isIdentifier } from '../../wire/identifiers.ts';
import { CommandFailure, usageFailure } from '../failure.ts';
import { findColumnPath } from './columns-of.ts';

/** Finds what a value names. */
export interface Lookups {
  userId(given: string): Promise<string>;
  recordId(scheme: ReferenceScheme, given: string): Promise<string>;
  /** Uploads a file and returns the ID of the attachment. */
  upload(file: string): Promise<string>;
}

export type TypedValues = Record<string, unknown>;

interface Target {
  /** For messages: `Started`, `Address.City`. */
  readonly title: string;
  readonly type: string;
  readonly scheme?: ObjectScheme | ArrayScheme | ReferenceScheme;
  readonly lookups: Lookups;
}

const targetOf = (column: ColumnDefinition, lookups: Lookups): Target => ({ ...column, title: column.name, lookups });

/**
 * `words`: `Column=text`, for Objects also `Column.Key=text`. Nothing after the sign leaves the column without a value.
 * `stored`: the values of the record that is changed; asked for if a word names a key.
 */
export async function readAssignments(
  collection: CollectionDefinition,
  words: readonly string[],
  lookups: Lookups,
  stored: () => Promise<Readonly<Record<string, unknown>>> = async () => ({}),
): Promise<TypedValues> {
  const values: TypedValues = {};
  for (const word of words) {
    const at = word.indexOf('=');
    if (at < 1) throw usageFailure(`${word} is not a value; it should look like Column=text.`);
    const { column, key } = findColumnPath(collection, word.slice(0, at));
    const text = word.slice(at + 1);
    const target = targetOf(column, lookups);
    if (key !== undefined) {
      if (!(column.id in values)) values[column.id] = (await stored())[column.id];
      await setKey(values, { column, key, text, lookups });
    } else if (text === '') values[column.id] = null;
    else if (column.type === 'Array') await addElements(values, column, text, target);
    else values[column.id] = await readValue(target, isJsonOf(column.type, text) ? parsed(word, text) : text);
  }
  return values;
}

interface KeyAssignment {
  readonly column: ColumnDefinition;
  readonly key: string;
  readonly text: string;
  readonly lookups: Lookups;
}

/** The other keys stay. */
async function setKey(values: TypedValues, { column, key, text, lookups }: KeyAssignment): Promise<void> {
  const keys = column.type === 'Object' ? column.scheme.keys : [];
  const type = keys.find(({ name }) => name === key)?.type ?? '';
  const before = (values[column.id] as { value?: Record<string, unknown> } | null | undefined)?.value ?? {};
  const { [key]: _, ...others } = before;
  const value = text === '' ? {} : { [key]: await readValue({ title: `${column.name}.${key}`, type, lookups }, text) };
  values[column.id] = { type: 'Object', value: { ...others, ...value } };
}

/** The elements of an Array are given one by one, or as a JSON array. */
async function addElements(values: TypedValues, column: ColumnDefinition, text: string, target: Target): Promise<void> {
  const given = text.startsWith('[') ? parsed(`${column.name}=${text}`, text) : [text];
  const { value } = (await readValue(target, given)) as { value: unknown[] };
  const before = (values[column.id] as { value?: unknown[] } | undefined)?.value ?? [];
  values[column.id] = { type: 'Array', value: [...before, ...value] };
}

const isJsonOf = (type: string, text: string): boolean =>
  text.startsWith('{') && ['Object', 'Location', 'User', 'Attachment'].includes(type);

function parsed(word: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw usageFailure(`${word} is not JSON: ${(error as Error).message}`);
  }
}

/** A JSON object with values by the names or IDs of columns. Values of the interface stay as they are. */
export async function readPlain(
  collection: CollectionDefinition,
  given: Readonly<Record<string, unknown>>,
  lookups: Lookups,
): Promise<TypedValues> {
  const values: TypedValues = {};
  for (const [name, plain] of Object.entries(given)) {
    const { column, key } = findColumnPath(collection, name);
    if (key !== undefined) await setKey(values, { column, key, text: String(plain), lookups });
    else values[column.id] = plain === null ? null : await readValue(targetOf(column, lookups), plain);
  }
  return values;
}

type Reader = (given: unknown, target: Target) => unknown;

const NUMBER = /^[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?$/i;

const READERS: Readonly<Record<string, Reader>> = {
  String: (given) => ({ value: given }),
  Number: (given, target) => {
    if (typeof given !== 'string') return { value: given };
    if (!NUMBER.test(given.trim())) throw notA(target, given, '12.5');
    return { value: Number(given) };
  },
  Boolean: (given, target) => {
    if (typeof given !== 'string') return { value: given };
    if (/^(?:true|yes)$/i.test(given)) return { value: true };
    if (/^(?:false|no)$/i.test(given)) return { value: false };
    throw notA(target, given, 'true or false');
  },
  DateTime: (given, target) => {
    if (typeof given !== 'string') return { value: given };
    if (given === 'now') return { value: new Date().toISOString() };
    const parts = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(:\d\d(?:\.\d+)?)?\s*(Z|[-+]\d\d:?\d\d)$/i.exec(given);
    if (parts === null) throw notA(target, given, '2026-11-16T10:00Z or 2026-11-16T10:00+09:00');
    const [, day = '', time = '', seconds = ':00', offset = ''] = parts;
    const zone = offset.toUpperCase().replace(/^([-+]\d\d)(\d\d)$/, '$1:$2');
    return { value: `${day}T${time}${seconds}${zone}` };
  },
  Date: (given, target) => {
    if (typeof given === 'string' && !/^\d{4}-\d\d-\d\d$/.test(given)) throw notA(target, given, '2026-11-16');
    return { value: given };
  },
  Time: (given, target) => {
    if (typeof given !== 'string') return { value: given };
    if (!/^\d\d:\d\d(?::\d\d)?$/.test(given)) throw notA(target, given, '10:30 or 10:30:15');
    return { value: given.length === 5 ? `${given}:00` : given };
  },
  Location: (given, target) => {
    if (typeof given !== 'string') return given;
    const numbers = given.split(',').map((part) => part.trim());
    if (numbers.length < 2 || numbers.length > 3 || !numbers.every((part) => NUMBER.test(part))) {
      throw notA(target, given, '35.6812,139.7671');
    }
    const [latitude, longitude, altitude] = numbers.map(Number);
    return { latitude, longitude, ...(altitude === undefined ? {} : { altitude }) };
  },
  User: async (given, { lookups }) => (typeof given === 'string' ? { id: await lookups.userId(given) } : given),
  Attachment: async (given, target) => {
    if (typeof given !== 'string') return given;
    if (given.startsWith('@')) return { id: await target.lookups.upload(given.slice(1)) };
    if (!isIdentifier('attachmentId', given)) throw notA(target, given, '@photo.jpg, or the ID of an attachment');
    return { id: given };
  },
  Object: async (given, target) => {
    const { keys } = target.scheme as ObjectScheme;
    if (typeof given !== 'object' || given === null) throw notA(target, given, '{"Key": "text"}');
    const members: Record<string, unknown> = {};
    for (const [name, plain] of Object.entries(given)) {
      const type = keys.find((key) => key.name === name)?.type;
      if (type === undefined) throw usageFailure(`${target.title} has no key ${name}.`);
      members[name] = await readValue({ ...target, title: `${target.title}.${name}`, type }, plain);
    }
    return { value: members };
  },
  Array: async (given, target) => {
    const { element } = target.scheme as ArrayScheme;
    const elements: unknown[] = [];
    for (const plain of Array.isArray(given) ? given : [given]) {
      elements.push(await readValue({ ...element, title: target.title, lookups: target.lookups }, plain));
    }
    return { value: elements };
  },
};

async function reference(given: unknown, { scheme, lookups }: Target): Promise<unknown> {
  const { collectionId, columnId } = scheme as ReferenceScheme;
  const text = typeof given === 'object' && given !== null ? (given as { recordId?: string }).recordId : given;
  return { collectionId, columnId, recordId: await lookups.recordId({ collectionId, columnId }, String(text)) };
}

async function readValue(target: Target, given: unknown): Promise<unknown> {
  if (typeof given === 'object' && given !== null && 'type' in given) return given;
  const read = target.type.startsWith('Reference') ? reference : READERS[target.type];
  if (read === undefined)
    throw new CommandFailure(`${target.title} has the type ${target.type}, which is not known here.`);
  return { type: target.type, ...((await read(given, target)) as object) };
}

const notA = ({ title, type }: Target, given: unknown, example: string): CommandFailure =>
  new CommandFailure(
    `${title}=${typeof given === 'string' ? given : JSON.stringify(given)} is no ${type}; it should look like ${example}.`,
    { exit: 'refused' },
  );
