// The changes that people make to a design. Each gives a new design; what is not changed stays the same object.

import { mayBeUnique, maySort } from '../../../src/domain/values/value-types.ts';
import type { ValueTypeName } from '../../../src/wire/values.ts';
import type { Design, DesignedCollection, DesignedColumn, Settings } from './design.ts';
import { newKey } from './design.ts';

export const withSettings = (design: Design, settings: Partial<Settings>): Design => ({
  ...design,
  settings: { ...design.settings, ...settings },
});

export const withCollections = (design: Design, collections: readonly DesignedCollection[]): Design => ({
  ...design,
  collections,
});

export function withCollection(design: Design, key: string, change: Partial<DesignedCollection>): Design {
  return withCollections(
    design,
    design.collections.map((each) => (each.key === key ? { ...each, ...change } : each)),
  );
}

export function withColumns(
  design: Design,
  collection: string,
  change: (columns: readonly DesignedColumn[]) => readonly DesignedColumn[],
): Design {
  const columns = design.collections.find(({ key }) => key === collection)?.columns;
  return columns === undefined ? design : withCollection(design, collection, { columns: change(columns) });
}

export function withColumn(design: Design, collection: string, key: string, change: Partial<DesignedColumn>): Design {
  return withColumns(design, collection, (columns) =>
    columns.map((each) => (each.key === key ? { ...each, ...change } : each)),
  );
}

/** Flags that the new type cannot have are taken off. */
export const typeChange = (column: DesignedColumn, type: ValueTypeName): Partial<DesignedColumn> => ({
  type,
  unique: column.unique && mayBeUnique(type),
  sortable: column.sortable && maySort(type),
});

interface Keyed {
  readonly key: string;
}

/** `after`: the key of the item before it; at the end without one. */
export function inserted<Item extends Keyed>(items: readonly Item[], item: Item, after?: string): Item[] {
  const index = items.findIndex(({ key }) => key === after);
  return index < 0 ? [...items, item] : items.toSpliced(index + 1, 0, item);
}

export const removed = <Item extends Keyed>(items: readonly Item[], key: string): Item[] =>
  items.filter((item) => item.key !== key);

/** By one place up (-1) or down (1); the same list at its ends. */
export function shifted<Item extends Keyed>(items: readonly Item[], key: string, by: -1 | 1): readonly Item[] {
  const index = items.findIndex((item) => item.key === key);
  const item = items[index];
  const to = index + by;
  if (item === undefined || to < 0 || to >= items.length) return items;
  return items.toSpliced(index, 1).toSpliced(to, 0, item);
}

/** Dropped before or after another one. */
export function dropped<Item extends Keyed>(
  items: readonly Item[],
  keys: ReadonlySet<string>,
  beside: { readonly key: string; readonly position: 'before' | 'after' },
): Item[] {
  const moved = items.filter(({ key }) => keys.has(key));
  const rest = items.filter(({ key }) => !keys.has(key));
  const index = rest.findIndex(({ key }) => key === beside.key);
  if (index < 0) return [...items];
  return rest.toSpliced(beside.position === 'before' ? index : index + 1, 0, ...moved);
}

/** A copy is another thing: without an ID. */
export function copyOf(column: DesignedColumn, name: string): DesignedColumn {
  const { id: _, ...rest } = column;
  return { ...rest, key: newKey(), name, unique: false };
}

/** A name that no other has: the given one, or with a number. */
export function freeName(wanted: string, taken: readonly { readonly name: string }[]): string {
  const names = new Set(taken.map(({ name }) => name));
  if (!names.has(wanted)) return wanted;
  let number = 2;
  while (names.has(`${wanted} ${number}`)) number += 1;
  return `${wanted} ${number}`;
}
