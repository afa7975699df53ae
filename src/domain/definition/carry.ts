// What of a stored value survives when its column changes. Whether the change may happen at all, and which records it
// touches, is for whoever publishes to say.

import type { Column } from '../../wire/applications.ts';
import type { ObjectValue, SimpleValue, Value } from '../../wire/values.ts';
import { schemeChange } from '../values/scheme-change.ts';

/** The value as it is in `to`, or undefined where nothing of it is left. An Object that lost all its keys is still `{}`. */
export function carryValue(from: Column, to: Column, value: Value): Value | undefined {
  const change = schemeChange(from, to);
  if (change.kind === 'replaced') return undefined;
  if (change.kind === 'none' || change.gone.length === 0) return value;
  const gone = new Set(change.gone.map(({ name }) => name));
  if (value.type === 'Object') return withoutKeys(value, gone);
  if (value.type === 'Array') {
    const elements = value.value.map((element) => (element.type === 'Object' ? withoutKeys(element, gone) : element));
    return { type: 'Array', value: elements };
  }
  throw new Error(`A ${value.type} value was stored in column ${from.id} of type ${from.type}.`);
}

function withoutKeys(object: ObjectValue, gone: ReadonlySet<string>): ObjectValue {
  const kept: [string, SimpleValue][] = Object.entries(object.value).filter(([key]) => !gone.has(key));
  return { type: 'Object', value: Object.fromEntries(kept) };
}
