// One column of every value type, for the tests of values. Not a test itself.

import type { Column } from '../../src/wire/applications.ts';
import { REFERENCE_TYPES, SIMPLE_TYPES } from '../../src/wire/values.ts';

const flags = { unique: false, sortable: false, searchable: false };
export const REFERENCE_SCHEME = { collectionId: 't0000001', columnId: 'c0000099' };
/** `__proto__` and `a/b~c` are names that a careless map or path would request over. */
export const OBJECT_KEYS = [
  ...SIMPLE_TYPES.map((type) => ({ name: type.toLowerCase(), type })),
  { name: '__proto__', type: 'String' as const },
  { name: 'a/b~c', type: 'Number' as const },
];

const all: Column[] = [
  ...SIMPLE_TYPES.map((type): Column => ({ id: columnIdOf(type), name: type, type, ...flags })),
  ...REFERENCE_TYPES.map(
    (type): Column => ({ id: columnIdOf(type), name: type, type, scheme: REFERENCE_SCHEME, ...flags }),
  ),
  { id: columnIdOf('Object'), name: 'Object', type: 'Object', scheme: { keys: OBJECT_KEYS }, ...flags },
  ...SIMPLE_TYPES.map(
    (type): Column => ({
      id: columnIdOf(`Array${type}`),
      name: `Array of ${type}`,
      type: 'Array',
      scheme: { element: { type } },
      ...flags,
    }),
  ),
  {
    id: columnIdOf('ArrayObject'),
    name: 'Array of Object',
    type: 'Array',
    scheme: { element: { type: 'Object', scheme: { keys: OBJECT_KEYS } } },
    ...flags,
  },
];

export const COLUMNS: ReadonlyMap<string, Column> = new Map(all.map((column) => [column.id, column]));

/** An identifier that says the type: the first letters of its parts and its length, in seven characters. */
export function columnIdOf(label: string): string {
  const letters = label.toLowerCase();
  return `c${(letters.slice(0, 1) + letters.slice(-5) + letters.length.toString(36)).padEnd(7, '0')}`;
}
