// The text that `cartulary types` writes: the collections and columns of an application as TypeScript types for the client.

import type { ArrayScheme, Collection, Column, ObjectScheme, ReferenceScheme } from '../wire/applications.ts';

export interface Typed {
  readonly id: string;
  readonly name: string;
  readonly collections: readonly Collection[];
}

export function typeText({ id, name, collections }: Typed): string {
  const body = collections.flatMap((collection) => collectionLines(collection, collections));
  const used = ['Column', 'ReferenceTo'].filter((type) => body.some((line) => line.includes(`${type}<`)));
  return [
    `// The types of ${JSON.stringify(name)} (${id}), made with \`cartulary types\`. Make them anew after publishing.`,
    '',
    ...(used.length > 0 ? [`import type { ${used.join(', ')} } from 'cartulary-client';`, ''] : []),
    `export interface ${interfaceName(name)} {`,
    ...body.map((line) => `  ${line}`),
    '}',
    '',
  ].join('\n');
}

/** `Field inspections` → `FieldInspections`; `点検` → `点検`. */
function interfaceName(name: string): string {
  const words = name.match(/[\p{L}\p{N}]+/gu) ?? [];
  const joined = words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join('');
  return /^[\p{ID_Start}][\p{ID_Continue}]*$/u.test(joined) ? joined : `Application${joined}`;
}

function collectionLines(collection: Collection, all: readonly Collection[]): string[] {
  const columns = collection.columns.map(
    (column) => `  ${propertyOf(columnKey(column, collection))}: ${columnType(column, all)};`,
  );
  return [`${propertyOf(collectionKey(collection, all))}: {`, ...columns, '};'];
}

const propertyOf = (key: string): string =>
  /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(key)
    ? key
    : `'${key.replaceAll(/[\\']/g, '\\$&').replaceAll('\n', '\\n')}'`;

/** What the client calls them: by the name, unless that is not clear. */
const collectionKey = ({ id, name }: Collection, all: readonly Collection[]): string =>
  all.filter((other) => other.name === name).length === 1 ? name : id;

const columnKey = ({ id, name }: Column, { columns }: Collection): string =>
  columns.filter((other) => other.name === name).length === 1 && !name.startsWith('$') ? name : `$${id}`;

function columnType(column: Column, all: readonly Collection[]): string {
  const flags = (['unique', 'sortable', 'searchable'] as const)
    .filter((flag) => column[flag])
    .map((flag) => `'${flag}'`);
  return `Column<${[shapeOf(column, all), ...(flags.length > 0 ? [flags.join(' | ')] : [])].join(', ')}>`;
}

function shapeOf(column: Column, all: readonly Collection[]): string {
  switch (column.type) {
    case 'ReferenceString':
    case 'ReferenceNumber':
    case 'ReferenceUser':
      return referenceType(column.type.replace('Reference', ''), column.scheme, all);
    case 'Object':
      return objectType(column.scheme);
    case 'Array':
      return arrayType(column.scheme);
    default:
      return `'${column.type}'`;
  }
}

function referenceType(shown: string, { collectionId }: ReferenceScheme, all: readonly Collection[]): string {
  const referred = all.find(({ id }) => id === collectionId);
  const name = referred === undefined ? collectionId : collectionKey(referred, all);
  return `ReferenceTo<'${name.replaceAll(/[\\']/g, '\\$&')}', '${shown}'>`;
}

const objectType = ({ keys }: ObjectScheme): string =>
  keys.length === 0 ? '{}' : `{ ${keys.map(({ name, type }) => `${propertyOf(name)}: '${type}'`).join('; ')} }`;

const arrayType = ({ element: { type, scheme } }: ArrayScheme): string =>
  type === 'Object' && scheme !== undefined ? `${objectType(scheme)}[]` : `'${type}'[]`;
