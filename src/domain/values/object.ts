// Object: a map from the keys of the column's scheme to simple values. A key may be absent; `{}` is a value.

import type { ObjectScheme } from '../../wire/applications.ts';
import type { ObjectValue, SimpleTypeName, SimpleValue } from '../../wire/values.ts';
import { readSimple } from './simple-types.ts';
import {
  describe,
  isJsonObject,
  quoteClipped,
  readMembers,
  required,
  ValueProblem,
  type ValueType,
} from './value-type.ts';

export const objectType: ValueType<ObjectValue, ObjectScheme> = {
  name: 'Object',
  members: ['value'],
  required: ['value'],
  sortable: false,
  read(input, { columnId, path, targets }, scheme) {
    const entries = required(readMembers(objectType, input, path), 'value', path);
    if (!isJsonObject(entries)) {
      throw new ValueProblem(`"value" must be an object of values by key, not ${describe(entries)}`, `${path}/value`);
    }
    const types = keyTypes(scheme);
    const stored: Record<string, SimpleValue> = {};
    for (const key of Object.keys(entries)) {
      const type = types.get(key);
      if (type === undefined) {
        throw new ValueProblem(`${quoteClipped(key)} is not a key of the column's scheme`, `${path}/value`);
      }
      const context = { columnId, path: `${path}/value/${pointerSegment(key)}`, targets };
      setOwn(stored, key, readSimple(type, entries[key], context));
    }
    return { type: 'Object', value: stored };
  },
};

/** Cached, because an Array may hold 1,000 Objects of one scheme. */
const KEY_TYPES = new WeakMap<ObjectScheme, ReadonlyMap<string, SimpleTypeName>>();

function keyTypes(scheme: ObjectScheme): ReadonlyMap<string, SimpleTypeName> {
  let types = KEY_TYPES.get(scheme);
  if (types === undefined) {
    types = new Map(scheme.keys.map(({ name, type }) => [name, type]));
    KEY_TYPES.set(scheme, types);
  }
  return types;
}

/** Assignment, except that a key called `__proto__` becomes a member instead of a prototype. */
export function setOwn<T>(target: Record<string, T>, key: string, value: T): void {
  if (key === '__proto__') {
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
  } else {
    target[key] = value;
  }
}

/** RFC 6901 section 3. */
function pointerSegment(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}
