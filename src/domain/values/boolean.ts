// Boolean: true or false, without conversion from other values.

import type { BooleanValue } from '../../wire/values.ts';
import { describe, readMembers, required, ValueProblem, type ValueType } from './value-type.ts';

export const booleanType: ValueType<BooleanValue> = {
  name: 'Boolean',
  members: ['value'],
  required: ['value'],
  sortable: true,
  read(input, { path }) {
    const value = required(readMembers(booleanType, input, path), 'value', path);
    if (typeof value !== 'boolean') {
      throw new ValueProblem(`"value" must be true or false, not ${describe(value)}`, `${path}/value`);
    }
    return { type: 'Boolean', value };
  },
};
