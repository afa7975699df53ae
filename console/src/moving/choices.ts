// What a person chooses for an import, and what is chosen for them first.

import type { CollectionDefinition, ColumnDefinition } from '../../../client/src/shapes.ts';
import type { FileFormat } from '../../../src/moving/formats/format-names.ts';
import type { ReadOptions } from '../../../src/moving/formats/table.ts';
import { findByName, isMetadata } from '../../../src/moving/import/mapping.ts';
import type { DateOrder } from '../../../src/moving/values/cell-dates.ts';
import type { CellReading } from '../../../src/moving/values/cell-values.ts';

/** How the bytes of a file become a table. */
export interface FileForm extends ReadOptions {
  readonly format: FileFormat;
}

/** Everything that decides which records a file gives. It is kept with the journal, so that an import can go on. */
export interface Choices {
  readonly form: FileForm;
  readonly reading: CellReading;
  /** Column IDs by the names of the file's columns; the others are left out. */
  readonly columns: Readonly<Record<string, string>>;
  /** The column by which records are found that exist already; all rows become new records without it. */
  readonly upsertKey?: string;
  readonly clearEmpty: boolean;
}

/** What a first look at a file tells. */
export interface Look {
  /** With what was found out where nothing was given. */
  readonly form: FileForm;
  readonly sheets: readonly string[];
  readonly header: readonly string[];
  /** The first different values of each column. */
  readonly examples: readonly string[];
  readonly order: DateOrder | undefined;
  readonly hasRows: boolean;
}

/** Between the elements of an array, as the command line has it. */
const LIST_SEPARATOR = ';';

/** Columns go where their names say; a column of the collection is filled by one of the file. */
export function suggestedColumns(header: readonly string[], collection: CollectionDefinition): Record<string, string> {
  const columns: Record<string, string> = {};
  for (const name of header) {
    if (isMetadata(name)) continue;
    const column = findByName(collection, name);
    if (column !== undefined && !Object.values(columns).includes(column.id)) columns[name] = column.id;
  }
  return columns;
}

export const firstChoices = (
  { form, header, order }: Look,
  collection: CollectionDefinition,
  timeZone: string,
): Choices => ({
  form,
  reading: {
    timeZone,
    order,
    decimalComma: false,
    listSeparator: LIST_SEPARATOR,
  },
  columns: suggestedColumns(header, collection),
  clearEmpty: false,
});

/** A column of the file goes to a column, which another one of the file then leaves. */
export function withColumn(choices: Choices, name: string, columnId: string | undefined): Choices {
  const others = Object.entries(choices.columns).filter(([other, id]) => other !== name && id !== columnId);
  const columns = Object.fromEntries(columnId === undefined ? others : [...others, [name, columnId]]);
  const { upsertKey, ...rest } = choices;
  const isKept = upsertKey !== undefined && Object.values(columns).includes(upsertKey);
  return { ...rest, columns, ...(isKept ? { upsertKey } : { clearEmpty: false }) };
}

/** What records that exist already can be found by. */
export const keyColumns = (collection: CollectionDefinition, { columns }: Choices): readonly ColumnDefinition[] =>
  collection.columns.filter(
    ({ id, unique, searchable }) => unique && searchable && Object.values(columns).includes(id),
  );
