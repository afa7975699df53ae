// Decides what happens to a column's values when its type or scheme changes. The list of changes and the migration of stored
// values share this rule.

import type { Column, ObjectScheme } from '../../wire/applications.ts';

type Key = ObjectScheme['keys'][number];

export type SchemeChange =
  | { readonly kind: 'none' }
  /** No value survives: another type, another element type, another target. */
  | { readonly kind: 'replaced' }
  /** Keys of an Object, or of the Objects in an Array. `gone` are those whose values do not survive. */
  | { readonly kind: 'keys'; readonly added: readonly Key[]; readonly gone: readonly Key[] };

export function schemeChange(from: Column, to: Column): SchemeChange {
  if (from.type === 'Object' && to.type === 'Object') return keysChange(from.scheme, to.scheme);
  if (from.type === 'Array' && to.type === 'Array') {
    const [before, after] = [from.scheme.element, to.scheme.element];
    if (before.type !== after.type) return { kind: 'replaced' };
    return before.scheme && after.scheme ? keysChange(before.scheme, after.scheme) : { kind: 'none' };
  }
  if (from.type !== to.type) return { kind: 'replaced' };
  return JSON.stringify(targetOf(from)) === JSON.stringify(targetOf(to)) ? { kind: 'none' } : { kind: 'replaced' };
}

function targetOf(column: Column): readonly string[] {
  if (!('scheme' in column) || !('collectionId' in column.scheme)) return [];
  return [column.scheme.collectionId, column.scheme.columnId];
}

function keysChange(from: ObjectScheme, to: ObjectScheme): SchemeChange {
  const added = without(to.keys, from.keys);
  const gone = without(from.keys, to.keys);
  const sameOrder = from.keys.every((key, index) => key.name === to.keys[index]?.name);
  if (added.length === 0 && gone.length === 0 && sameOrder) return { kind: 'none' };
  return { kind: 'keys', added, gone };
}

/** A key whose type changed is another key: it is both gone and added. */
function without(keys: readonly Key[], others: readonly Key[]): Key[] {
  const types = new Map(others.map(({ name, type }) => [name, type]));
  return keys.filter(({ name, type }) => types.get(name) !== type);
}
