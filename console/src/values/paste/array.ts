import type { ArrayScheme, RawArrayValue, RawObjectValue, RawSimpleValue } from '../../../../client/src/shapes.ts';
import { objectOf, plainObject } from './object.ts';
import { plainOf, readPlain } from './plain.ts';
import type { Read, Writing } from './reading.ts';

/** JSON, or one item a line or after each semicolon. */
export function readArray(text: string, { element }: ArrayScheme, writing: Writing): Read {
  const items: (RawSimpleValue | RawObjectValue)[] = [];
  for (const part of partsOf(text)) {
    const item =
      element.type === 'Object'
        ? asObject(objectOf(part, element.scheme ?? { keys: [] }, writing))
        : readPlain(part, element.type, writing);
    if (item === undefined) return { problem: 'structure' };
    items.push(item);
  }
  return { value: { type: 'Array', value: items } };
}

const asObject = (read: Read): RawObjectValue | undefined =>
  'value' in read && read.value.type === 'Object' ? read.value : undefined;

function partsOf(text: string): readonly unknown[] {
  try {
    const parts: unknown = JSON.parse(text);
    if (Array.isArray(parts)) return parts;
  } catch {
    // Not JSON: a list as people write it.
  }
  return text
    .split(/[\n;；]/)
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

export const writeArray = ({ value }: RawArrayValue): string =>
  JSON.stringify(value.map((item) => (item.type === 'Object' ? plainObject(item) : plainOf(item))));
