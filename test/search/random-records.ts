// Random values for every column of a collection, from the small vocabulary: absent, empty and odd ones included.

import type { Atom, AtomType, Column, Key, StoredRecord, User, Value, Values } from './oracle/world.ts';
import type { Random } from './random.ts';
import { daysAround, instantsAround, LONG_WORDS, NUMBERS, POINTS, TIMES, WORDS } from './vocabulary.ts';

export interface Stock {
  readonly users: readonly User[];
  readonly now: number;
  /** Records that a reference may point to. */
  readonly targets: readonly StoredRecord[];
}

export function randomValues(random: Random, columns: readonly Column[], stock: Stock): Values {
  // Some records hold little, some nothing.
  const density = random.weighted([6, 0.35], [2, 0.12], [0.5, 1], [0.3, 0]);
  return Object.fromEntries(
    columns.flatMap((column) => {
      const value = random.chance(density) ? randomValue(random, column, stock) : undefined;
      return value === undefined ? [] : [[column.id, value]];
    }),
  );
}

function randomValue(random: Random, { type, scheme }: Column, stock: Stock): Value | undefined {
  switch (type) {
    case 'Object':
      return randomObject(random, scheme?.keys ?? [], stock);
    case 'Array': {
      const element = scheme?.element;
      const keys = element?.scheme?.keys;
      const make = () =>
        keys === undefined ? randomAtom(random, element?.type as AtomType, stock) : randomObject(random, keys, stock);
      return { type, value: random.list(random.weighted([2, 0], [4, 1], [4, 2], [1, 5]), make) };
    }
    case 'ReferenceString':
    case 'ReferenceNumber':
    case 'ReferenceUser': {
      if (stock.targets.length === 0) return undefined;
      const { collectionId = '', columnId = '' } = scheme ?? {};
      return { type, collectionId, columnId, recordId: random.pick(stock.targets).id };
    }
    default:
      return randomAtom(random, type, stock);
  }
}

function randomObject(random: Random, keys: readonly Key[], stock: Stock) {
  const density = random.weighted([1, 0], [5, 0.5], [1, 1]);
  const members = keys.filter(() => random.chance(density));
  return {
    type: 'Object',
    value: Object.fromEntries(members.map(({ name, type }) => [name, randomAtom(random, type, stock)])),
  } as const;
}

function randomAtom(random: Random, type: AtomType, { users, now }: Stock): Atom {
  switch (type) {
    case 'String':
      return { type, value: randomText(random) };
    case 'Number':
      return { type, value: random.pick(NUMBERS) };
    case 'Boolean':
      return { type, value: random.chance(0.5) };
    case 'DateTime':
      return { type, value: new Date(random.pick(instantsAround(now))).toISOString() };
    case 'Date':
      return { type, value: random.pick(daysAround(now)) };
    case 'Time':
      return { type, value: random.pick(TIMES) };
    case 'Location': {
      const { latitude, longitude, altitude } = random.pick(POINTS);
      return { type, latitude, longitude, ...(altitude === undefined ? {} : { altitude }) };
    }
    case 'User': {
      const { id, name } = random.pick(users);
      return { type, id, name };
    }
  }
}

function randomText(random: Random): string {
  const length = random.weighted<number | 'long'>([3, 1], [3, 2], [2, 3], [0.4, 0], [0.06, 'long']);
  if (length === 'long') return random.pick(LONG_WORDS);
  const words = random.list(length, () => random.pick(WORDS));
  return words.join(random.weighted([5, ' '], [1, ''], [1, '-'], [1, '\u3000'], [1, '\u02D0']));
}
