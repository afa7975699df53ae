// The order of lists: text by code points, no value below every value, ties by identifier in the direction of the sort.

import { heldAt } from './places.ts';
import { compareCodePoints } from './texts.ts';
import type { Atom, Setting, StoredRecord } from './world.ts';

export interface Sort {
  readonly key: 'column' | 'createdAt' | 'updatedAt' | 'createdBy' | 'updatedBy';
  readonly columnId?: string;
  readonly descending: boolean;
}

export const DEFAULT_SORT: Sort = { key: 'updatedAt', descending: true };

export function compare(a: StoredRecord, b: StoredRecord, sort: Sort, setting: Setting): number {
  const path = { column: sort.key === 'column' ? (sort.columnId ?? '') : `$${sort.key}` };
  const [left, right] = [a, b].map((record) => heldAt(path, record, setting).atoms[0]);
  const ascending = compareAtoms(left, right) || compareCodePoints(a.id, b.id);
  return sort.descending ? -ascending : ascending;
}

function compareAtoms(a: Atom | undefined, b: Atom | undefined): number {
  if (a === undefined || b === undefined) return Number(a !== undefined) - Number(b !== undefined);
  const [left, right] = [sortValue(a), sortValue(b)];
  return typeof left === 'number' && typeof right === 'number'
    ? Math.sign(left - right)
    : compareCodePoints(String(left), String(right));
}

function sortValue(atom: Atom): string | number {
  switch (atom.type) {
    case 'User':
      return atom.name;
    case 'Boolean':
      return Number(atom.value);
    case 'Location':
      throw new Error('a Location cannot be sorted');
    default:
      return atom.value;
  }
}
