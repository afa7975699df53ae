// Columns by what a person types, and queries that find one record.

import type { CollectionDefinition, ColumnDefinition } from '../../../client/src/shapes.ts';
import { chosen, findNamed } from '../commands/names.ts';

export const findColumn = ({ name, columns }: CollectionDefinition, given: string): ColumnDefinition =>
  chosen(`column of ${name}`, given, columns);

/** A column, and for `Address.City` also the key of an Object. */
export interface ColumnPath {
  readonly column: ColumnDefinition;
  readonly key?: string;
}

/** A name may have dots itself, so that the whole of it comes first. */
export function findColumnPath(collection: CollectionDefinition, given: string): ColumnPath {
  const whole = findNamed('column', given, collection.columns);
  if (whole !== undefined) return { column: whole };
  const [before = '', ...after] = given.split('.');
  const column = after.length === 0 ? undefined : findNamed('column', before, collection.columns);
  if (column?.type !== 'Object') return { column: findColumn(collection, given) };
  const key = after.join('.');
  const keys = column.scheme.keys.map(({ name }) => ({ id: name, name }));
  return { column, key: chosen(`key of ${column.name}`, key, keys).name };
}

/** The query for records that have exactly this text in a column. */
export const equals = ({ id }: ColumnDefinition, text: string): string =>
  `$${id}="${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
