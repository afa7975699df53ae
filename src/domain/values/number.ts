// Number: a finite double. Also checks the numeric members of other types.

import type { NumberValue } from '../../wire/values.ts';
import { describe, readMembers, required, ValueProblem, type ValueType } from './value-type.ts';

export const numberType: ValueType<NumberValue> = {
  name: 'Number',
  members: ['value'],
  required: ['value'],
  sortable: true,
  read(input, { path }) {
    const value = required(readMembers(numberType, input, path), 'value', path);
    return { type: 'Number', value: readNumber(value, 'value', `${path}/value`) };
  },
  uniqueKey: ({ value }) => `=${value}`,
};

/** -0 becomes 0: JSON writes both alike, so they may not differ once stored. */
export function readNumber(value: unknown, name: string, path: string): number {
  if (typeof value !== 'number') {
    throw new ValueProblem(`"${name}" must be a number, not ${describe(value)}`, path);
  }
  // JSON.parse reads 1e400 as Infinity.
  if (!Number.isFinite(value)) {
    throw new ValueProblem(`"${name}" must be a finite number; what was sent is outside ±1.7976931348623157e308`, path);
  }
  return value === 0 ? 0 : value;
}
