// The items of an array while it is edited. An item that is not filled in yet stands in the form, but not in the value.

import type { RawArrayValue, RawValue } from '../../../../client/src/shapes.ts';

/** Of the interface. */
export const ITEMS_MAX = 1_000;

export interface Item {
  /** Keeps what is typed with its item when others come, go or move. */
  readonly key: number;
  /** Undefined: not filled in yet, and not stored. */
  readonly value: RawValue | undefined;
}

export const itemsOf = (value: RawValue | undefined): readonly Item[] =>
  (value?.type === 'Array' ? value.value : []).map((item, key) => ({ key, value: item }));

export const withItems = (items: readonly Item[], values: readonly (RawValue | undefined)[]): readonly Item[] => {
  const first = Math.max(-1, ...items.map(({ key }) => key)) + 1;
  return [...items, ...values.map((value, index) => ({ key: first + index, value }))].slice(0, ITEMS_MAX);
};

export function movedItem(items: readonly Item[], from: number, to: number): readonly Item[] {
  const item = items[from];
  if (item === undefined || to < 0 || to >= items.length) return items;
  const others = items.filter((_, index) => index !== from);
  return [...others.slice(0, to), item, ...others.slice(to)];
}

/** Without an item there is no array. */
export function arrayOf(items: readonly Item[]): RawArrayValue | undefined {
  const values = items.flatMap(({ value }) => (value === undefined ? [] : [value])) as RawArrayValue['value'];
  return values.length === 0 ? undefined : { type: 'Array', value: values };
}

/** The place of an item in the value, which is how the server names it. */
export const storedIndex = (items: readonly Item[], index: number): number | undefined =>
  items[index]?.value === undefined
    ? undefined
    : items.slice(0, index).filter(({ value }) => value !== undefined).length;
