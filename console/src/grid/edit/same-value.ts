// Whether two values are the same to the person who looks: what the server adds or writes differently does not count.

import type { RawValue } from '../../../../client/src/shapes.ts';

/** Null and undefined are both no value. */
export function sameValue(one: RawValue | null | undefined, other: RawValue | null | undefined): boolean {
  if (one == null || other == null) return one == null && other == null;
  return JSON.stringify(essence(one)) === JSON.stringify(essence(other));
}

function essence(value: RawValue): unknown {
  switch (value.type) {
    case 'DateTime':
      return [value.type, Date.parse(value.value)];
    case 'Location':
      return [value.type, value.latitude, value.longitude, value.altitude];
    // Names and referred values are live: they change without a change of this value.
    case 'User':
    case 'Attachment':
      return [value.type, value.id];
    case 'ReferenceString':
    case 'ReferenceNumber':
    case 'ReferenceUser':
      return [value.type, value.recordId];
    case 'Object':
      return [
        value.type,
        Object.entries(value.value)
          .map(([key, part]) => [key, essence(part)])
          .sort(byKey),
      ];
    case 'Array':
      return [value.type, value.value.map(essence)];
    default:
      return [value.type, value.value];
  }
}

const byKey = ([one]: unknown[], [other]: unknown[]): number => (String(one) < String(other) ? -1 : 1);
