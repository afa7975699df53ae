// From the values of the interface to plain JavaScript and back: a DateTime is a `Date`, a user `{id, name}`, an Object an
// object. The server checks values; here is only refused what could not be sent.

import { type CollectionSchema, UnknownNameError } from './definition.ts';
import type { AttachmentMetadata, ColumnDefinition, RawRecord, RawReferenceValue, RawValue } from './shapes.ts';
import type { Attachment, Metadata, PlainSimpleValue, PlainValue, Reference } from './typed.ts';

/** Makes what a value leads to. */
export interface Handles {
  attachment(collectionId: string, metadata: AttachmentMetadata): Attachment;
  reference(raw: RawReferenceValue, value: PlainSimpleValue | undefined): Reference<never, never, PlainSimpleValue>;
}

/** A record with its values by the names of their columns. */
export type PlainRecord = Metadata & { readonly [key: string]: unknown };

const METADATA: ReadonlySet<string> = new Set([
  '$id',
  '$hash',
  '$timestamp',
  '$createdAt',
  '$createdBy',
  '$updatedAt',
  '$updatedBy',
]);

/** Whether the schema has every column of the record: otherwise the application has been published since. */
export const knowsAll = (schema: CollectionSchema, { values }: RawRecord): boolean =>
  Object.keys(values).every((columnId) => schema.keyOf(columnId) !== undefined);

export function decodeRecord(raw: RawRecord, schema: CollectionSchema, handles: Handles): PlainRecord {
  const values = Object.entries(raw.values).map(([columnId, value]) => [
    schema.keyOf(columnId) ?? `$${columnId}`,
    decode(value, schema.id, handles),
  ]);
  return {
    $id: raw.id,
    $hash: raw.hash,
    $timestamp: new Date(raw.timestamp),
    $createdAt: new Date(raw.createdAt),
    $createdBy: raw.createdBy,
    $updatedAt: new Date(raw.updatedAt),
    $updatedBy: raw.updatedBy,
    // Not by assignment: a column may be called __proto__.
    ...Object.fromEntries(values),
  };
}

function decode(raw: RawValue, collectionId: string, handles: Handles): PlainValue {
  const inner = (value: RawValue) => decode(value, collectionId, handles) as PlainSimpleValue;
  switch (raw.type) {
    case 'DateTime':
      return new Date(raw.value);
    case 'Location': {
      const { type: _, ...location } = raw;
      return location;
    }
    case 'User':
      return { id: raw.id, name: raw.name };
    case 'Attachment': {
      const { type: _, ...metadata } = raw;
      return handles.attachment(collectionId, metadata);
    }
    case 'Object':
      return Object.fromEntries(Object.entries(raw.value).map(([key, value]) => [key, inner(value)]));
    case 'Array':
      return raw.value.map(inner);
    case 'ReferenceString':
    case 'ReferenceNumber':
    case 'ReferenceUser':
      return handles.reference(raw, raw.value === undefined ? undefined : inner(raw.value)) as PlainValue;
    default:
      return raw.value;
  }
}

/** What an absent value and null mean: `new` records have no value there, `changes` lose it with null. */
export type Purpose = 'new' | 'changes';

/** The values of a request, by the IDs of their columns. Metadata of a record that was read is left out of changes. */
export function encodeValues(plain: object, schema: CollectionSchema, purpose: Purpose): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(plain)) {
    if (METADATA.has(key)) {
      if (purpose === 'changes') continue;
      throw new TypeError(`The server assigns ${key}; a new record cannot have it. Leave it out.`);
    }
    const column = schema.column(key);
    if (value === undefined || (value === null && purpose === 'new')) continue;
    values[column.id] = value === null ? null : encode(value, column, `${schema.definition.name}.${key}`);
  }
  return values;
}

type Scheme = { readonly type: ColumnDefinition['type'] | 'Object'; readonly scheme?: unknown };

function encode(value: unknown, column: Scheme, where: string): unknown {
  const { type } = column;
  switch (type) {
    case 'DateTime':
      return { type, value: value instanceof Date ? isoOf(value, where) : value };
    case 'Location':
      return { type, ...(value as object) };
    case 'User':
    case 'Attachment':
      return { type, id: idOf(value, 'id', where) };
    case 'ReferenceString':
    case 'ReferenceNumber':
    case 'ReferenceUser': {
      const { collectionId, columnId } = column.scheme as { collectionId: string; columnId: string };
      return { type, collectionId, columnId, recordId: recordIdOf(value, where) };
    }
    case 'Object':
      return { type, value: encodeObject(value, column.scheme as ObjectKeys, where) };
    case 'Array': {
      const { element } = column.scheme as { element: Scheme };
      if (!Array.isArray(value)) throw new TypeError(`${where} must be an array.`);
      return { type, value: value.map((each, index) => encode(each, element, `${where}[${index}]`)) };
    }
    default:
      return { type, value };
  }
}

interface ObjectKeys {
  readonly keys: readonly { readonly name: string; readonly type: ColumnDefinition['type'] }[];
}

function encodeObject(value: unknown, { keys }: ObjectKeys, where: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null) throw new TypeError(`${where} must be an object.`);
  const given = Object.entries(value).filter(([, each]) => each !== undefined);
  return Object.fromEntries(
    given.map(([name, each]) => {
      const key = keys.find((one) => one.name === name);
      if (key !== undefined) return [name, encode(each, key, `${where}.${name}`)];
      throw new UnknownNameError(
        'key',
        name,
        where,
        keys.map((one) => one.name),
      );
    }),
  );
}

function isoOf(date: Date, where: string): string {
  if (Number.isNaN(date.getTime())) throw new TypeError(`${where} is a Date without a time (Invalid Date).`);
  return date.toISOString();
}

function idOf(value: unknown, member: string, where: string): unknown {
  const id = typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[member] : value;
  if (typeof id !== 'string') throw new TypeError(`${where} must be an ID, or an object with its "${member}".`);
  return id;
}

/** A record, a reference that was read, or the ID of a record. */
function recordIdOf(value: unknown, where: string): unknown {
  const member = typeof value === 'object' && value !== null && '$id' in value ? '$id' : 'recordId';
  return idOf(value, member, where);
}
