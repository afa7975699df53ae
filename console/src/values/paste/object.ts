import type { ObjectScheme, RawObjectValue, RawSimpleValue } from '../../../../client/src/shapes.ts';
import { plainOf, readPlain } from './plain.ts';
import type { Read, Writing } from './reading.ts';

/** An object of the keys of the column, as JSON. */
export function readObject(text: string, { keys }: ObjectScheme, writing: Writing): Read {
  try {
    return objectOf(JSON.parse(text), { keys }, writing);
  } catch {
    return { problem: 'structure' };
  }
}

export function objectOf(plain: unknown, { keys }: ObjectScheme, writing: Writing): Read {
  if (typeof plain !== 'object' || plain === null || Array.isArray(plain)) return { problem: 'structure' };
  const entries: [string, RawSimpleValue][] = [];
  for (const [name, part] of Object.entries(plain)) {
    const key = keys.find((each) => each.name === name);
    if (key === undefined) return { problem: 'structure' };
    if (part === null || part === '') continue;
    const read = readPlain(part, key.type, writing);
    if (read === undefined) return { problem: 'structure' };
    entries.push([name, read]);
  }
  return { value: { type: 'Object', value: Object.fromEntries(entries) } };
}

export const writeObject = ({ value }: RawObjectValue): string => JSON.stringify(plainObject({ value }));

export const plainObject = ({ value }: Pick<RawObjectValue, 'value'>): object =>
  Object.fromEntries(Object.entries(value).map(([name, part]) => [name, plainOf(part)]));
