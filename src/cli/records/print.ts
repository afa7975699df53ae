// Prints records: tables for people, JSON for programs. Nothing is held longer than a page.

import type { CollectionDefinition, RawRecord } from '../../../client/src/shapes.ts';
import { inColumns, printTable, terminalWidth } from '../commands/columns.ts';
import type { Printing } from '../commands/row.ts';
import { print } from '../output.ts';
import { type AnyRecord, cellOf, headingOf, type Metadata, RECORD_METADATA, type ShownColumn } from './cells.ts';
import { findColumn } from './columns-of.ts';

interface ShowOptions extends Printing {
  readonly columns?: string;
}

const ID = 'ID';

/** `--columns Title,Started,createdAt`; all columns of the collection by default. */
export function shownColumns(collection: CollectionDefinition, given: string | undefined): readonly ShownColumn[] {
  if (given === undefined) return collection.columns;
  return given.split(',').map((part) => {
    const name = part.trim();
    return RECORD_METADATA.includes(name as Metadata) ? (name as Metadata) : findColumn(collection, name);
  });
}

interface Page {
  readonly records: readonly RawRecord[];
  readonly isCut: boolean;
  readonly hint: string | null;
}

export async function printPages(
  pages: AsyncIterable<Page>,
  collection: CollectionDefinition,
  options: ShowOptions,
): Promise<void> {
  const columns = shownColumns(collection, options.columns);
  let count = 0;
  let isCut = false;
  let hint: string | null = null;
  if (options.json) await print('[');
  for await (const page of pages) {
    if (options.json) await print(jsonOf(page.records, count));
    else if (page.records.length > 0) await print(rowsOf(page.records, columns, count === 0));
    count += page.records.length;
    isCut ||= page.isCut;
    hint ??= page.hint;
  }
  if (options.json) await print(count === 0 ? ']\n' : '\n]\n');
  else if (count === 0) console.log('There are no such records.');
  if (hint !== null) console.error(hintText(hint));
  if (isCut) console.error('There are more; --limit lists as many as you say, or "all".');
}

const jsonOf = (records: readonly RawRecord[], before: number): string =>
  records.map((record, index) => `${before + index === 0 ? '\n' : ',\n'}${JSON.stringify(record)}`).join('');

function rowsOf(records: readonly RawRecord[], columns: readonly ShownColumn[], isFirst: boolean): string {
  const rows = records.map((record) => [record.id, ...columns.map((column) => cellOf(record as AnyRecord, column))]);
  const table = [[ID, ...columns.map(headingOf)], ...rows];
  const lines = inColumns(table, { whole: [ID], width: terminalWidth() }).slice(isFirst ? 0 : 1);
  return `${lines.join('\n')}\n`;
}

export function printRecord(record: RawRecord, collection: CollectionDefinition): void {
  const rows = [...collection.columns, ...RECORD_METADATA].map((column) => [
    headingOf(column),
    cellOf(record as AnyRecord, column),
  ]);
  printTable([[ID, record.id], ...rows.filter(([, cell]) => cell !== '')]);
}

/** The header is percent-encoded where it has other characters than ASCII. */
function hintText(hint: string): string {
  try {
    return decodeURIComponent(hint);
  } catch {
    return hint;
  }
}
