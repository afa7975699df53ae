// Time: a time of day to the second, without date or zone.

import type { TimeValue } from '../../wire/values.ts';
import { describe, quoteClipped, readMembers, required, ValueProblem, type ValueType } from './value-type.ts';

const FORM = /^(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]$/;

export const timeType: ValueType<TimeValue> = {
  name: 'Time',
  members: ['value'],
  required: ['value'],
  sortable: true,
  read(input, { path }) {
    const value = required(readMembers(timeType, input, path), 'value', path);
    if (typeof value !== 'string') {
      throw new ValueProblem(`"value" must be a string of the form hh:mm:ss, not ${describe(value)}`, `${path}/value`);
    }
    if (!FORM.test(value)) {
      throw new ValueProblem(
        `"value" must have the form hh:mm:ss, from 00:00:00 to 23:59:59; it is ${quoteClipped(value)}`,
        `${path}/value`,
      );
    }
    return { type: 'Time', value };
  },
  uniqueKey: ({ value }) => `=${value}`,
};
