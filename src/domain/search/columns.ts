// Resolves a name in a search query: a column by its name or ID, a key of an Object, or a record's metadata. Also lists the
// fields that a term without a name searches.

import type { Column, ObjectScheme } from '../../wire/applications.ts';
import type { ReferenceTypeName, SimpleTypeName } from '../../wire/values.ts';
import { quoteClipped, withArticle } from '../values/value-type.ts';
import { METADATA, type MetadataName, type SearchField } from './condition.ts';
import { foldText } from './fold.ts';
import { invalidSearch } from './invalid-search.ts';
import type { NamePart } from './parse.ts';

/** A field whose values all have one type. `referred`: they are values of other records. */
export interface TypedField {
  readonly field: SearchField;
  readonly type: SimpleTypeName;
  readonly referred: boolean;
}

/** What a criterion is about. An Object column has no single type; its keys have. */
export interface Subject {
  readonly field: SearchField;
  /** The field itself, or all keys. */
  readonly typed: readonly TypedField[];
  readonly isObject: boolean;
  /** For messages: `Column "Size" is a Number`. */
  readonly sentence: string;
}

const REFERRED_TYPES: Readonly<Record<ReferenceTypeName, SimpleTypeName>> = {
  ReferenceString: 'String',
  ReferenceNumber: 'Number',
  ReferenceUser: 'User',
};

const METADATA_TYPES: Readonly<Record<MetadataName, SimpleTypeName>> = {
  createdAt: 'DateTime',
  updatedAt: 'DateTime',
  createdBy: 'User',
  updatedBy: 'User',
  id: 'String',
};

/** The fields that a bare term searches. */
export function searchableFields(columns: readonly Column[]): TypedField[] {
  return columns.filter((column) => column.searchable).flatMap((column) => typedFieldsOf(column));
}

function typedFieldsOf(column: Column): TypedField[] {
  const field: SearchField = { kind: 'column', column };
  switch (column.type) {
    case 'ReferenceString':
    case 'ReferenceNumber':
    case 'ReferenceUser':
      return [{ field, type: REFERRED_TYPES[column.type], referred: true }];
    case 'Object':
      return keyFields(column, column.scheme);
    case 'Array': {
      const { type, scheme } = column.scheme.element;
      return type === 'Object' ? keyFields(column, scheme) : [{ field, type, referred: false }];
    }
    default:
      return [{ field, type: column.type, referred: false }];
  }
}

const keyFields = (column: Column, scheme: ObjectScheme | undefined): TypedField[] =>
  (scheme?.keys ?? []).map(({ name, type }) => ({
    field: { kind: 'column', column, key: name },
    type,
    referred: false,
  }));

/** undefined for a column that is neither an Object nor an Array of Objects. */
function keysOf(column: Column): ObjectScheme['keys'] | undefined {
  if (column.type === 'Object') return column.scheme.keys;
  if (column.type !== 'Array' || column.scheme.element.type !== 'Object') return undefined;
  return column.scheme.element.scheme?.keys ?? [];
}

export function findSubject(columns: readonly Column[], name: readonly NamePart[], position: number): Subject {
  const metadata = findMetadata(name);
  if (metadata !== undefined) {
    if (name.length > 1) throw invalidSearch(`$${metadata} has no keys.`, position);
    return metadataSubject(metadata);
  }
  const named = namedColumns(columns, name, position);
  // The longest column name wins, unless only a shorter one leaves a key that exists.
  const fitting = named.find(({ column, key }) => key === undefined || hasKey(column, key)) ?? named[0];
  if (fitting === undefined) throw unknownColumn(columns, name, position);
  const { column, key } = fitting;
  requireUnique(columns, fitting, position);
  if (!column.searchable) throw invalidSearch(`Column ${quoteClipped(column.name)} is not searchable.`, position);
  if (key === undefined) return columnSubject(column);
  return keySubject(column, key, position);
}

interface NamedColumn {
  readonly column: Column;
  readonly byName: boolean;
  readonly key?: string;
}

/** The ways to read a name as an existing column and a key, the longest column name first. */
function namedColumns(columns: readonly Column[], name: readonly NamePart[], position: number): NamedColumn[] {
  const keyAfter = name.some(({ quoted }) => quoted) ? cutAtQuotes(name, position) : cutAtAnyDot(name);
  const readings: (NamedColumn & { length: number })[] = [];
  for (const column of columns) {
    const key = keyAfter(column.name);
    if (key !== 'other') readings.push({ column, byName: true, length: column.name.length, ...key });
    const keyOfId = name[0]!.quoted ? 'other' : keyAfter(`$${column.id}`);
    if (keyOfId !== 'other') readings.push({ column, byName: false, length: column.id.length + 1, ...keyOfId });
  }
  return readings.sort((a, b) => b.length - a.length);
}

/** The key that follows the label of a column; `other` if the written name does not begin with the label. */
type KeyAfter = (label: string) => { key?: string } | 'other';

/** Names and keys may themselves contain dots. */
function cutAtAnyDot(name: readonly NamePart[]): KeyAfter {
  const written = join(name);
  return (label) => {
    if (written === label) return {};
    return written.startsWith(`${label}.`) ? { key: written.slice(label.length + 1) } : 'other';
  };
}

/** A quoted part is a whole name or a whole key: `"a.b".c` and `a.b."c"` are not ambiguous. */
function cutAtQuotes(name: readonly NamePart[], position: number): KeyAfter {
  const cut = Math.max(
    1,
    name.findIndex(({ quoted }) => quoted),
  );
  const [front, back] = [name.slice(0, cut), name.slice(cut)];
  if (back.length > 1 && back.some(({ quoted }) => quoted)) {
    throw invalidSearch('What is quoted is the whole name of a column or a whole key.', position);
  }
  const columnName = join(front);
  const rest = back.length === 0 ? {} : { key: join(back) };
  return (label) => (label === columnName ? rest : 'other');
}

const join = (parts: readonly NamePart[]): string => parts.map(({ text }) => text).join('.');

const hasKey = (column: Column, key: string): boolean => keysOf(column)?.some(({ name }) => name === key) ?? false;

function findMetadata([first]: readonly NamePart[]): MetadataName | undefined {
  if (first === undefined || first.quoted) return undefined;
  return METADATA.find((name) => `$${name}` === first.text);
}

function requireUnique(columns: readonly Column[], { column, byName }: NamedColumn, position: number): void {
  if (!byName) return;
  const sharing = columns.filter(({ name }) => name === column.name);
  if (sharing.length < 2) return;
  const ids = sharing.map(({ id }) => `$${id}`).join(', ');
  const message = `${sharing.length} columns are called ${quoteClipped(column.name)}. Name the one that you mean by its ID: ${ids}`;
  throw invalidSearch(message, position);
}

export const TEXT_TO_QUOTE = ' A text to look for that contains an operator has to be quoted.';

function unknownColumn(columns: readonly Column[], name: readonly NamePart[], position: number) {
  const written = join(name);
  if (name[0]!.text.startsWith('$') && !name[0]!.quoted) {
    const metadata = METADATA.map((known) => `$${known}`).join(', ');
    const message = `${quoteClipped(written)} is neither "$" and the ID of a column nor one of ${metadata}.`;
    return invalidSearch(message, position);
  }
  const similar = columns.find((column) => foldText(column.name) === foldText(written));
  const hint = similar === undefined ? TEXT_TO_QUOTE : ` There is one called ${quoteClipped(similar.name)}.`;
  return invalidSearch(`There is no column called ${quoteClipped(written)}.${hint}`, position);
}

function metadataSubject(name: MetadataName): Subject {
  const field: SearchField = { kind: 'metadata', name };
  const type = METADATA_TYPES[name];
  return {
    field,
    typed: [{ field, type, referred: false }],
    isObject: false,
    sentence: `$${name} is ${withArticle(type)}`,
  };
}

function columnSubject(column: Column): Subject {
  return {
    field: { kind: 'column', column },
    typed: typedFieldsOf(column),
    isObject: keysOf(column) !== undefined,
    sentence: columnSentence(column),
  };
}

function columnSentence(column: Column): string {
  const type = column.type === 'Array' ? `Array of ${column.scheme.element.type}` : column.type;
  return `Column ${quoteClipped(column.name)} is ${withArticle(type)}`;
}

function keySubject(column: Column, key: string, position: number): Subject {
  const keys = keysOf(column);
  if (keys === undefined) {
    throw invalidSearch(`${columnSentence(column)} and has no keys such as ${quoteClipped(key)}.`, position);
  }
  const known = keys.find(({ name }) => name === key);
  if (known === undefined) {
    throw invalidSearch(`Column ${quoteClipped(column.name)} has no key ${quoteClipped(key)}.`, position);
  }
  const field: SearchField = { kind: 'column', column, key };
  return {
    field,
    typed: [{ field, type: known.type, referred: false }],
    isObject: false,
    sentence: `Key ${quoteClipped(key)} of column ${quoteClipped(column.name)} is ${withArticle(known.type)}`,
  };
}
