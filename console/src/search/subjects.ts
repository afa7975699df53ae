// What a search can ask for: the searchable columns, the keys of objects, and who changed a record when. Each with the
// name that a search gives it.

import type { ColumnDefinition, ObjectScheme, SimpleTypeName } from '../../../client/src/shapes.ts';
import { quoted } from '../api/list-query.ts';
import type { NamePart } from './reading.ts';

export const METADATA = {
  createdAt: 'DateTime',
  updatedAt: 'DateTime',
  createdBy: 'User',
  updatedBy: 'User',
  id: 'String',
} as const satisfies Record<string, SimpleTypeName>;
export type Metadata = keyof typeof METADATA;

export interface Subject {
  /** As a search names it. */
  readonly written: string;
  /** Of elements, where the column is an Array; of what is referred to, where it is a Reference. */
  readonly type: SimpleTypeName | 'Object';
  readonly column?: ColumnDefinition;
  readonly key?: string;
  readonly metadata?: Metadata;
}

const NEEDS_QUOTES = /[\s()":=!<>]/;
const KEYWORD = /^(?:AND|OR|NOT)$/;

/** Directly after an operator. `me` is a person of that name: the word for oneself is written as it is. */
export const writtenTerm = (text: string): string =>
  text === '' || text === 'me' || NEEDS_QUOTES.test(text) || KEYWORD.test(text) ? quoted(text) : text;

/** A term without a column. */
export const writtenWord = (text: string): string => (text.startsWith('-') ? quoted(text) : writtenTerm(text));

/** A dot in a quoted name is part of it, whatever other columns are called. */
const writtenName = (name: string): string =>
  NEEDS_QUOTES.test(name) || KEYWORD.test(name) || /^[-$]|\./.test(name) ? quoted(name) : name;

const REFERRED = { ReferenceString: 'String', ReferenceNumber: 'Number', ReferenceUser: 'User' } as const;

function typeOf(column: ColumnDefinition): SimpleTypeName | 'Object' {
  switch (column.type) {
    case 'ReferenceString':
    case 'ReferenceNumber':
    case 'ReferenceUser':
      return REFERRED[column.type];
    case 'Array':
      return column.scheme.element.type;
    default:
      return column.type;
  }
}

function keysOf(column: ColumnDefinition): ObjectScheme['keys'] {
  if (column.type === 'Object') return column.scheme.keys;
  return column.type === 'Array' ? (column.scheme.element.scheme?.keys ?? []) : [];
}

function subjectsOfColumn(column: ColumnDefinition, columns: readonly ColumnDefinition[]): Subject[] {
  const shared = columns.filter(({ name }) => name === column.name).length > 1;
  const written = shared ? `$${column.id}` : writtenName(column.name);
  const label = shared ? written : column.name;
  const mistakable = (key: string) => columns.some(({ name }) => name === `${label}.${key}`);
  const keys = keysOf(column).map(({ name, type }) => ({
    written: `${written}.${mistakable(name) ? quoted(name) : writtenName(name)}`,
    type,
    column,
    key: name,
  }));
  return [{ written, type: typeOf(column), column }, ...keys];
}

/** In the order of the definition; the metadata last. */
export function subjectsOf(columns: readonly ColumnDefinition[]): Subject[] {
  const metadata = (Object.keys(METADATA) as Metadata[]).map((name) => ({
    written: `$${name}`,
    type: METADATA[name],
    metadata: name,
  }));
  return [
    ...columns.filter(({ searchable }) => searchable).flatMap((column) => subjectsOfColumn(column, columns)),
    ...metadata,
  ];
}

type Found = Subject | 'unknownColumn' | 'notSearchable' | 'ambiguous';

/** The longest name of a column wins, unless only a shorter one leaves a key that exists. */
export function findSubject(columns: readonly ColumnDefinition[], name: readonly NamePart[]): Found {
  const [first] = name;
  const metadata = (Object.keys(METADATA) as Metadata[]).find((each) => `$${each}` === first?.text && !first.quoted);
  if (metadata !== undefined) {
    if (name.length > 1) return 'unknownColumn';
    return { written: `$${metadata}`, type: METADATA[metadata], metadata };
  }
  const readings = columns
    .flatMap((column) => {
      const byName = keyAfter(name, column.name);
      const byId = first?.quoted === true ? undefined : keyAfter(name, `$${column.id}`);
      return [
        ...(byName === undefined ? [] : [{ column, ...byName, isName: true, length: column.name.length }]),
        ...(byId === undefined ? [] : [{ column, ...byId, isName: false, length: column.id.length + 1 }]),
      ];
    })
    .sort((a, b) => b.length - a.length);
  const fits = ({ column, key }: (typeof readings)[number]) =>
    key === undefined || keysOf(column).some((each) => each.name === key);
  const found = readings.find(fits);
  const nearest = found ?? readings[0];
  if (nearest === undefined) return 'unknownColumn';
  if (nearest.isName && columns.filter((each) => each.name === nearest.column.name).length > 1) return 'ambiguous';
  if (!nearest.column.searchable) return 'notSearchable';
  if (found === undefined) return 'unknownColumn';
  return (
    subjectsOfColumn(found.column, columns).find(({ key }) => key === found.key) ?? ('unknownColumn' satisfies Found)
  );
}

/** The key that follows the label; undefined if the name does not begin with the label. */
function keyAfter(name: readonly NamePart[], label: string): { key?: string } | undefined {
  const join = (parts: readonly NamePart[]) => parts.map(({ text }) => text).join('.');
  const firstQuoted = name.findIndex((part) => part.quoted);
  if (firstQuoted < 0) {
    const written = join(name);
    if (written === label) return {};
    return written.startsWith(`${label}.`) ? { key: written.slice(label.length + 1) } : undefined;
  }
  // A quoted part is a whole name or a whole key.
  const cut = Math.max(1, firstQuoted);
  const back = name.slice(cut);
  if (back.length > 1 && back.some((part) => part.quoted)) return undefined;
  if (join(name.slice(0, cut)) !== label) return undefined;
  return back.length === 0 ? {} : { key: join(back) };
}
