// The table of all fourteen value types, and what each may be: unique, sortable.

import type { Value, ValueTypeName } from '../../wire/values.ts';
import { arrayType } from './array.ts';
import { objectType } from './object.ts';
import { referenceNumberType, referenceStringType, referenceUserType } from './reference.ts';
import { SIMPLE_VALUE_TYPES } from './simple-types.ts';

export const REFERENCE_VALUE_TYPES = {
  ReferenceString: referenceStringType,
  ReferenceNumber: referenceNumberType,
  ReferenceUser: referenceUserType,
};

export const VALUE_TYPE_TABLE = {
  ...SIMPLE_VALUE_TYPES,
  Object: objectType,
  Array: arrayType,
  ...REFERENCE_VALUE_TYPES,
} satisfies { [Name in ValueTypeName]: { readonly name: ValueTypeName } };

/** The key by which values of a unique column collide: at most 401 bytes of UTF-8 whatever the value. */
export function uniqueKey(value: Value): string {
  // Each row takes the values of its own type, which the compiler cannot follow through the table.
  const row = VALUE_TYPE_TABLE[value.type] as { readonly uniqueKey?: (value: Value) => string };
  if (row.uniqueKey === undefined) throw new Error(`A column of type ${value.type} cannot be unique`);
  return row.uniqueKey(value);
}

export function mayBeUnique(type: ValueTypeName): boolean {
  return 'uniqueKey' in VALUE_TYPE_TABLE[type];
}

export function maySort(type: ValueTypeName): boolean {
  return VALUE_TYPE_TABLE[type].sortable;
}
