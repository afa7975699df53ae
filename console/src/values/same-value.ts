// Whether two values mean the same. What the server fills in and keeps up to date, such as the name of a user or the value
// of a reference, does not count.

import type { RawValue } from '../../../client/src/shapes.ts';

export function sameValue(one: RawValue | undefined, other: RawValue | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  return written(one) === written(other);
}

const written = (value: RawValue): string => JSON.stringify(meant(value));

function meant(value: RawValue): unknown {
  switch (value.type) {
    case 'User':
    case 'Attachment':
      return [value.type, value.id];
    case 'ReferenceString':
    case 'ReferenceNumber':
    case 'ReferenceUser':
      return [value.type, value.recordId];
    case 'Location':
      return [value.type, value.latitude, value.longitude, value.altitude];
    case 'Array':
      return [value.type, value.value.map(meant)];
    case 'Object':
      return [value.type, keysInOrder(value.value).map(([key, part]) => [key, meant(part)])];
    default:
      return [value.type, value.value];
  }
}

const keysInOrder = <Part>(parts: Readonly<Record<string, Part>>): [string, Part][] =>
  Object.entries(parts).sort(([one], [other]) => (one < other ? -1 : 1));
