// Where a value stands: attachments and references need it for their addresses.

import type { ColumnDefinition } from '../api/client.ts';

export interface Where {
  readonly application: string;
  readonly collection: string;
  /** A cell of the grid has one line; a page has room. */
  readonly in: 'cell' | 'page';
  /** Of the cell, in pixels, where only what is seen has to be on the page. */
  readonly width?: number | undefined;
  /** Inside of a link, which can hold no other. */
  readonly linked?: boolean;
  /** The names of an object's keys, in the order of the column's scheme. */
  readonly keys?: readonly string[];
}

/** The same place, where objects show their keys as the column's scheme orders them: values keep no order of their own. */
export function whereIn(column: ColumnDefinition | undefined, where: Where): Where {
  if (column?.type !== 'Object' && column?.type !== 'Array') return where;
  const scheme = column.type === 'Object' ? column.scheme : column.scheme.element.scheme;
  return scheme === undefined ? where : { ...where, keys: scheme.keys.map(({ name }) => name) };
}

export interface ShowProps<Value> {
  readonly value: Value;
  readonly where: Where;
}
