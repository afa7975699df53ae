// Where the values of a search criterion are stored: in a projected column of their own, or inside the projected JSON of
// an Object or Array (domain/records/projections).

import type { PreparedCollection } from '../../domain/definition/application.ts';
import type { ColumnProjections } from '../../domain/records/projections.ts';
import type { SearchField } from '../../domain/search/condition.ts';
import type { Column } from '../../wire/applications.ts';
import type { SimpleTypeName } from '../../wire/values.ts';
import type { Params } from '../database/params.ts';

/** A table in a statement: its collection and its alias. */
export interface Source {
  readonly collection: PreparedCollection;
  readonly alias: string;
  /** SQL for the sections of the search text, where a subquery has read them already (store/records/search-texts). */
  readonly sections?: string;
}

/** One value, as a projected column or as JSON. */
export type Operand =
  | { readonly kind: 'column'; readonly projections: ColumnProjections }
  | { readonly kind: 'json'; readonly sql: string };

export type ColumnField = Extract<SearchField, { kind: 'column' }>;

/** The type of the values at a field: in an Array, of its elements; for a reference, of the referred column. */
export function typeAt({ column, key }: ColumnField): SimpleTypeName | 'Object' {
  switch (column.type) {
    case 'ReferenceString':
      return 'String';
    case 'ReferenceNumber':
      return 'Number';
    case 'ReferenceUser':
      return 'User';
    case 'Object':
    case 'Array':
      return key === undefined ? elementType(column) : keyType(column, key);
    default:
      return column.type;
  }
}

type Composite = Extract<Column, { type: 'Object' | 'Array' }>;

const elementType = (column: Composite): SimpleTypeName | 'Object' =>
  column.type === 'Array' ? column.scheme.element.type : 'Object';

function keyType(column: Composite, key: string): SimpleTypeName {
  const scheme = column.type === 'Array' ? column.scheme.element.scheme : column.scheme;
  const found = scheme?.keys.find(({ name }) => name === key);
  if (found === undefined) throw new Error(`the column ${column.id} has no key ${key}`);
  return found.type;
}

export const projectionsAt = ({ collection }: Source, columnId: string): ColumnProjections => {
  const found = collection.projections.byColumn.get(columnId);
  if (found === undefined) throw new Error(`the column ${columnId} is not projected`);
  return found;
};

/** SQL that is true if `test` holds for the value at the field, or for any element of an Array. */
export function anyAt(
  source: Source,
  { column, key }: ColumnField,
  { params, test }: { params: Params; test: (operand: Operand) => string },
): string {
  const projections = projectionsAt(source, column.id);
  if (projections.json === undefined) return test({ kind: 'column', projections });
  const whole = `${source.alias}.${projections.json.name}`;
  const inside = (sql: string) => (key === undefined ? sql : `(${sql} -> ${params.text(key)})`);
  if (column.type === 'Object') return test({ kind: 'json', sql: inside(whole) });
  return `exists (select from jsonb_array_elements(${whole}) as e(v) where ${test({ kind: 'json', sql: inside('e.v') })})`;
}
