// Which stored values survive a change of the definition. Whether the change is allowed is decided elsewhere.

import type { Collection, Column } from '../../wire/applications.ts';
import type { Definition } from '../../wire/publish-document.ts';
import type { ObjectValue, SimpleValue, Value, Values } from '../../wire/values.ts';
import { schemeChange } from '../values/scheme-change.ts';

/** Collections that both definitions have. */
export function keptCollections(current: Definition, next: Definition): { before: Collection; after: Collection }[] {
  return next.collections.flatMap((after) => {
    const before = current.collections.find(({ id }) => id === after.id);
    return before === undefined ? [] : { before, after };
  });
}

const columnOf = (collection: Collection, columnId: string): Column | undefined =>
  collection.columns.find((column) => column.id === columnId);

/** Columns that become unique and keep their values. */
export function newlyUniqueColumns(before: Collection, after: Collection): Column[] {
  return after.columns.filter((column) => {
    const from = columnOf(before, column.id);
    return column.unique && from?.unique === false && schemeChange(from, column).kind !== 'replaced';
  });
}

/** Whether stored values must change: a column is gone, or holds less than before. */
export function losesValues(before: Collection, after: Collection): boolean {
  return before.columns.some((column) => {
    const to = columnOf(after, column.id);
    if (to === undefined) return true;
    const change = schemeChange(column, to);
    return change.kind === 'replaced' || (change.kind === 'keys' && change.gone.length > 0);
  });
}

export function carryValues(before: Collection, after: Collection, values: Values): Values {
  const carried: Values = {};
  for (const [columnId, value] of Object.entries(values)) {
    const from = columnOf(before, columnId);
    const to = columnOf(after, columnId);
    const left = from && to && carryValue(from, to, value);
    if (left !== undefined) carried[columnId] = left;
  }
  return carried;
}

/** The value in column `to`; undefined if nothing is left of it. An Object that loses all its keys becomes `{}`. */
export function carryValue(from: Column, to: Column, value: Value): Value | undefined {
  const change = schemeChange(from, to);
  if (change.kind === 'replaced') return undefined;
  if (change.kind === 'none' || change.gone.length === 0) return value;
  const gone = new Set(change.gone.map(({ name }) => name));
  if (value.type === 'Object') return withoutKeys(value, gone);
  if (value.type === 'Array') {
    const elements = value.value.map((element) => (element.type === 'Object' ? withoutKeys(element, gone) : element));
    return { type: 'Array', value: elements };
  }
  throw new Error(`A ${value.type} value was stored in column ${from.id} of type ${from.type}.`);
}

function withoutKeys(object: ObjectValue, gone: ReadonlySet<string>): ObjectValue {
  const kept: [string, SimpleValue][] = Object.entries(object.value).filter(([key]) => !gone.has(key));
  return { type: 'Object', value: Object.fromEntries(kept) };
}
