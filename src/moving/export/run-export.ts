// Exports a collection: pages of records become rows of a file.

import type { ListRecords, RawOperations } from '../../../client/src/operation-types.ts';
import type {
  ApplicationDefinition as Application,
  ColumnDefinition as Column,
  RawRecord,
} from '../../../client/src/shapes.ts';
import type { Cell, TableWriter } from '../formats/table.ts';
import { pages } from '../import/lookups.ts';
import type { Patience } from '../import/patience.ts';
import type { WireValue } from '../values/cell-values.ts';
import { plainCell, timeText, type Writing } from '../values/plain-values.ts';
import { exportedPages } from './pages.ts';
import type { Referring } from './referred-values.ts';
import { referredValues } from './referred-values.ts';

export const EXPORTED_METADATA = ['$id', '$createdAt', '$createdBy', '$updatedAt', '$updatedBy'] as const;
export const USER_FORMS = ['email', 'name', 'id'] as const;
export type UserForm = (typeof USER_FORMS)[number];

/** What keeps the files of attachments beside the exported one. */
export interface ExportedFiles {
  /** The path that the exported file names it by. */
  pathOf(value: WireValue): string;
  save(values: readonly WireValue[]): Promise<void>;
}

export interface ExportJob {
  readonly raw: RawOperations;
  readonly application: Pick<Application, 'collections'>;
  readonly columns: readonly Column[];
  readonly withMetadata: boolean;
  readonly query: Omit<ListRecords, 'limit' | 'skip' | 'after'>;
  /** Instead of all that the query lists. */
  readonly pages?: AsyncIterable<readonly RawRecord[]> | undefined;
  readonly limit: number | undefined;
  readonly timeZone: string | undefined;
  readonly users: UserForm;
  readonly referencesBy: Referring['by'];
  readonly references: Referring['form'];
  /** Undefined if attachments are only named, by their IDs. */
  readonly files: ExportedFiles | undefined;
  readonly patience: Patience;
  /** Hears how many records are written. */
  readonly progress: (records: number) => void;
}

export const headerOf = ({ columns, withMetadata }: Pick<ExportJob, 'columns' | 'withMetadata'>): string[] => [
  ...columns.map(({ name, id }) => (columns.filter((other) => other.name === name).length > 1 ? id : name)),
  ...(withMetadata ? EXPORTED_METADATA : []),
];

/** Returns how many records it wrote. */
export async function runExport(job: ExportJob, writer: TableWriter): Promise<number> {
  const { raw, application, columns, files, patience } = job;
  const referred = referredValues({ raw, application, columns, by: job.referencesBy, form: job.references, patience });
  const writing = await writingOf(job);
  let count = 0;
  for await (const records of job.pages ?? exportedPages(raw, job.query, { limit: job.limit, patience })) {
    await Promise.all([
      referred.prepare(records),
      files?.save(records.flatMap((record) => attachmentsOf(record, columns))),
    ]);
    for (const record of records) {
      const cells = columns.map((column) =>
        plainCell(record.values[column.id] as WireValue | undefined, writing, (value) =>
          referred.cellOf(column, value),
        ),
      );
      await writer.write(job.withMetadata ? [...cells, ...metadataOf(record, writing)] : cells);
    }
    count += records.length;
    job.progress(count);
  }
  await writer.end();
  return count;
}

const metadataOf = ({ id, createdAt, createdBy, updatedAt, updatedBy }: RawRecord, writing: Writing): Cell[] => [
  id,
  timeText(createdAt, writing.timeZone),
  writing.user(createdBy.id, createdBy.name),
  timeText(updatedAt, writing.timeZone),
  writing.user(updatedBy.id, updatedBy.name),
];

async function writingOf({ raw, timeZone, users, files, columns, withMetadata }: ExportJob): Promise<Writing> {
  const mayHold = withMetadata || columns.some((column) => JSON.stringify(column).includes('"User"'));
  const emails = users === 'email' && mayHold ? await emailsOf(raw) : new Map<string, string>();
  return {
    timeZone,
    user: (id, name) => (users === 'id' ? id : (emails.get(id) ?? name)),
    attachment: (value) => files?.pathOf(value) ?? String(value.id),
  };
}

/** By user. Empty without management access; an address that several users have stands for none of them. */
async function emailsOf(raw: RawOperations): Promise<Map<string, string>> {
  const all: { id: string; email: string }[] = [];
  try {
    for await (const { id, email } of pages((skip) => raw.listManagementUsers({ skip, limit: 100 }))) {
      if (email) all.push({ id, email });
    }
  } catch (error) {
    if ((error as { status?: number }).status !== 403) throw error;
  }
  const counts = new Map<string, number>();
  for (const { email } of all) counts.set(email.toLowerCase(), (counts.get(email.toLowerCase()) ?? 0) + 1);
  return new Map(all.filter(({ email }) => counts.get(email.toLowerCase()) === 1).map(({ id, email }) => [id, email]));
}

/** Those in arrays and objects too. */
function attachmentsOf({ values }: RawRecord, columns: readonly Column[]): WireValue[] {
  return columns.flatMap(({ id }) => attachmentsIn(values[id] as WireValue | undefined));
}

function attachmentsIn(value: WireValue | undefined): WireValue[] {
  if (value === undefined) return [];
  if (value.type === 'Attachment') return [value];
  if (value.type === 'Array') return (value.value as WireValue[]).flatMap(attachmentsIn);
  return value.type === 'Object' ? Object.values(value.value as Record<string, WireValue>).flatMap(attachmentsIn) : [];
}
