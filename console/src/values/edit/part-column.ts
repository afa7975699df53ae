// A part of an object or array, as a column of its own: editors are chosen by columns.

import type { ColumnDefinition, ObjectScheme, SimpleTypeName } from '../../api/client.ts';

export function partColumn(name: string, type: SimpleTypeName | 'Object', scheme?: ObjectScheme): ColumnDefinition {
  const plain = { id: name, name, unique: false, sortable: false, searchable: false };
  return type === 'Object' ? { ...plain, type, scheme: scheme ?? { keys: [] } } : { ...plain, type };
}
