// Writes records to a file, and the rejected rows of an import.

import { anyOfIds } from '../../../../client/src/records.ts';
import type { ColumnDefinition, RawRecord } from '../../../../client/src/shapes.ts';
import { exportedPages } from '../../../../src/moving/export/pages.ts';
import { headerOf, runExport } from '../../../../src/moving/export/run-export.ts';
import { copyRejected, LINE, REASON, rejectedColumns } from '../../../../src/moving/import/rejected-rows.ts';
import type { Works } from '../work.ts';
import { connectionOf } from './connection.ts';
import { openTable } from './open-table.ts';
import { type ByteOutput, blobOutput, openOutput, tableWriter } from './output.ts';
import type { Run } from './run.ts';
import { type ShownForm, shownCell, shownMetadata } from './shown-cells.ts';

export async function exportRecords(plan: Works['export']['given'], run: Run): Promise<Works['export']['result']> {
  const { application, query, withMetadata, timeZone, target, shown } = plan;
  const collection = application.collections.find(({ id }) => id === query.collectionId);
  const columns = plan.columns.flatMap((id) => collection?.columns.find((column) => column.id === id) ?? []);
  const connection = connectionOf(application.id, run);
  const pages = plan.selection && selectedPages(connection, query, plan.selection);
  const progress = (rows: number) => {
    run.signal.throwIfAborted();
    run.progress({ rows, rejected: 0, earlier: 0 });
  };
  const output = await openOutput(target);
  try {
    const records = await run.unlessStopped(() =>
      shown === undefined
        ? runExport(
            {
              ...{ ...connection, application, columns, withMetadata, query, pages, timeZone, progress },
              limit: undefined,
              users: 'email',
              referencesBy: new Map(),
              references: undefined,
              files: undefined,
            },
            tableWriter(output, headerOf({ columns, withMetadata }), plan),
          )
        : writeShown(pages ?? exportedPages(connection.raw, query, connection), {
            ...{ plan, shown, columns, output, progress },
          }),
    );
    if (records === undefined) {
      await output.abort();
      return undefined;
    }
    const blob = await output.end();
    return { records, ...(blob === undefined ? {} : { blob }) };
  } catch (error) {
    await output.abort().catch(() => undefined);
    throw error;
  }
}

interface ShownExport {
  readonly plan: Works['export']['given'];
  readonly shown: ShownForm;
  readonly columns: readonly ColumnDefinition[];
  readonly output: ByteOutput;
  readonly progress: (records: number) => void;
}

/** Returns how many records it wrote. */
async function writeShown(
  pages: AsyncIterable<readonly RawRecord[]>,
  { plan, shown, columns, output, progress }: ShownExport,
): Promise<number> {
  const { withMetadata } = plan;
  const writer = tableWriter(
    output,
    [...columns.map(({ name }) => name), ...(withMetadata ? shown.metadata : [])],
    plan,
  );
  let count = 0;
  for await (const records of pages) {
    for (const record of records) {
      const cells = columns.map(({ id }) => shownCell(record.values[id], shown));
      await writer.write(withMetadata ? [...cells, ...shownMetadata(record, shown)] : cells);
    }
    count += records.length;
    progress(count);
  }
  await writer.end();
  return count;
}

/** A search has at most 64 criteria. */
const IDS_AT_ONCE = 60;

/** Pages of the selected records: some by their IDs, or all that the query lists but a few. */
async function* selectedPages(
  { raw, patience }: ReturnType<typeof connectionOf>,
  query: Works['export']['given']['query'],
  { all, ids }: NonNullable<Works['export']['given']['selection']>,
): AsyncGenerator<readonly RawRecord[]> {
  if (all) {
    for await (const page of exportedPages(raw, query, { patience })) yield page.filter(({ id }) => !ids.has(id));
    return;
  }
  const list = [...ids];
  for (let from = 0; from < list.length; from += IDS_AT_ONCE) {
    const search = anyOfIds(list.slice(from, from + IDS_AT_ONCE));
    yield* exportedPages(raw, { ...query, search }, { patience });
  }
}

/** CSV whatever the format of the file: it is to be repaired by a person. */
export async function rejectedFile(given: Works['rejected']['given']): Promise<Blob> {
  const { file, choices, reasons } = given;
  const open = () => openTable(file, choices.form);
  const columns = await rejectedColumns(open);
  const output = blobOutput();
  const csv = { delimiter: choices.form.delimiter ?? ',', byteOrderMark: true };
  const writer = tableWriter(output, [...columns.map(({ name }) => name), LINE, REASON], { format: 'csv', csv });
  const table = await open();
  try {
    await copyRejected(table, columns, reasons, (cells) => writer.write(cells));
  } finally {
    await table.close();
  }
  await writer.end();
  return (await output.end()) ?? new Blob();
}
