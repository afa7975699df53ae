// The parts of objects and arrays in JSON: plain texts, numbers and Booleans.

import type { RawSimpleValue, SimpleTypeName } from '../../../../client/src/shapes.ts';
import { readBoolean } from './boolean.ts';
import { readDate } from './date.ts';
import { readDateTime } from './date-time.ts';
import { readLocation, writeLocation } from './location.ts';
import { readNumber } from './number.ts';
import type { Read, Writing } from './reading.ts';
import { readTime } from './time.ts';

/** Undefined where the part is not of the type. People and files in parts have no text that would be theirs alone. */
export function readPlain(part: unknown, type: SimpleTypeName, writing: Writing): RawSimpleValue | undefined {
  if (type === 'String') return typeof part === 'string' ? { type, value: part } : textOf(part);
  if (type === 'Number' && typeof part === 'number') return { type, value: part };
  if (type === 'Boolean' && typeof part === 'boolean') return { type, value: part };
  if (type === 'User' && typeof part === 'object' && part !== null && 'id' in part && 'name' in part)
    return { type, id: String(part.id), name: String(part.name) };
  const read = readText(part, type, writing);
  return read !== undefined && 'value' in read ? (read.value as RawSimpleValue) : undefined;
}

const textOf = (part: unknown): RawSimpleValue | undefined =>
  typeof part === 'number' || typeof part === 'boolean' ? { type: 'String', value: String(part) } : undefined;

function readText(part: unknown, type: SimpleTypeName, writing: Writing): Read | undefined {
  if (typeof part !== 'string') return undefined;
  switch (type) {
    case 'Number':
      return readNumber(part, writing);
    case 'Boolean':
      return readBoolean(part, writing);
    case 'Date':
      return readDate(part, writing);
    case 'Time':
      return readTime(part);
    case 'DateTime':
      return readDateTime(part, writing);
    case 'Location':
      return readLocation(part);
    default:
      return undefined;
  }
}

export function plainOf(value: RawSimpleValue): unknown {
  switch (value.type) {
    case 'Location':
      return writeLocation(value);
    case 'User':
      return { id: value.id, name: value.name };
    case 'Attachment':
      return value.name;
    default:
      return value.value;
  }
}
