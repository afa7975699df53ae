// Array: values of the one type that the column's scheme names, simple or Object. `[]` is a value.

import type { ArrayScheme, ObjectScheme } from '../../wire/applications.ts';
import type { ArrayValue, ObjectValue, SimpleValue } from '../../wire/values.ts';
import { objectType } from './object.ts';
import { readSimple } from './simple-types.ts';
import { describe, type ReadContext, readMembers, required, ValueProblem, type ValueType } from './value-type.ts';

export const ARRAY_ELEMENTS_MAX = 1000;

export const arrayType: ValueType<ArrayValue, ArrayScheme> = {
  name: 'Array',
  members: ['value'],
  required: ['value'],
  sortable: false,
  read(input, { columnId, path, targets }, scheme) {
    const elements = required(readMembers(arrayType, input, path), 'value', path);
    if (!Array.isArray(elements)) {
      throw new ValueProblem(`"value" must be an array of values, not ${describe(elements)}`, `${path}/value`);
    }
    if (elements.length > ARRAY_ELEMENTS_MAX) {
      throw new ValueProblem(
        `an Array has at most ${ARRAY_ELEMENTS_MAX} elements, not ${elements.length}`,
        `${path}/value`,
      );
    }
    const stored: ArrayValue['value'] = [];
    for (const [index, element] of elements.entries()) {
      stored.push(readElement(element, { columnId, path: `${path}/value/${index}`, targets }, scheme.element));
    }
    return { type: 'Array', value: stored };
  },
};

const NO_KEYS: ObjectScheme = { keys: [] };

function readElement(input: unknown, context: ReadContext, element: ArrayScheme['element']): SimpleValue | ObjectValue {
  return element.type === 'Object'
    ? objectType.read(input, context, element.scheme ?? NO_KEYS)
    : readSimple(element.type, input, context);
}
