// What people call a record: its first text.

import type { CollectionDefinition, ColumnDefinition, RawRecord, RawValue } from '../../../client/src/shapes.ts';

const TITLE_MAX = 120;

type Columns = Pick<CollectionDefinition, 'columns'>;
type Values = Pick<RawRecord, 'values'>;

export function titleOf({ columns }: Columns, { values }: Values): string | undefined {
  for (const { id } of columns) {
    const text = textOf(values[id]);
    if (text !== undefined) return text;
  }
  return undefined;
}

/** The column that a record has its title from. */
export const titleColumnOf = ({ columns }: Columns, { values }: Values): ColumnDefinition | undefined =>
  columns.find(({ id }) => textOf(values[id]) !== undefined);

/** The column that most records have their title from. */
export const titleColumnIn = ({ columns }: Columns): ColumnDefinition | undefined =>
  columns.find(({ type }) => type === 'String' || type === 'ReferenceString');

function textOf(value: RawValue | undefined): string | undefined {
  if (value?.type === 'ReferenceString') return textOf(value.value);
  if (value?.type !== 'String') return undefined;
  // The beginning is enough: a text may have a million characters.
  const line =
    value.value
      .slice(0, 10 * TITLE_MAX)
      .trim()
      .split('\n')[0] ?? '';
  if (line === '') return undefined;
  return line.length > TITLE_MAX ? `${[...line].slice(0, TITLE_MAX).join('')}…` : line;
}
