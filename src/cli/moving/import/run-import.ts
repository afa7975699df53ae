// Imports a file into a collection: reads, converts, looks up and sends it in batches, a few at a time.

import { dirname, resolve } from 'node:path';
import type { RawOperations } from '../../../../client/src/operation-types.ts';
import type { Application, Collection, Column } from '../../../wire/applications.ts';
import { CommandFailure } from '../../failure.ts';
import { type FileFormat, openTable } from '../formats/choose.ts';
import type { ReadOptions } from '../formats/table.ts';
import { type AttachedFiles, attachedFiles } from './attached-files.ts';
import type { Journal } from './journal.ts';
import { type BatchLookups, makeLookups } from './lookups.ts';
import { makePatience, type Patience } from './patience.ts';
import { batchesOf, type PreparedBatch, type PreparedRow, type RowPreparation } from './prepared-rows.ts';
import { makeProgress } from './progress.ts';
import { type Destination, sendBatch } from './send-batch.ts';

export interface ImportJob {
  readonly file: string;
  readonly format: FileFormat;
  readonly readOptions: ReadOptions;
  readonly application: Pick<Application, 'collections'>;
  readonly collection: Collection;
  readonly preparation: RowPreparation;
  readonly upsertKey: Column | undefined;
  /** What references are looked up by, other than the column that they show: by the ID of the reference column. */
  readonly referencesBy: ReadonlyMap<string, Column>;
  readonly attachmentFolder: string | undefined;
  readonly parallel: number;
  readonly rejectedMax: number;
  readonly patienceMs: number;
}

export const attachmentFolderOf = ({ file, attachmentFolder }: Pick<ImportJob, 'file' | 'attachmentFolder'>): string =>
  resolve(attachmentFolder ?? dirname(file));

export async function runImport(job: ImportJob, raw: RawOperations, journal: Journal): Promise<void> {
  const progress = makeProgress();
  const patience = makePatience(job.patienceMs, (reason) => progress.say(`${reason}; waiting …`));
  const completion = completionOf(job, raw, journal.head.id, patience);
  const { collection, upsertKey } = job;
  const to: Destination = { raw, collection, upsertKeyColumnId: upsertKey?.id, journal, patience };
  const table = await openTable(job.file, job.format, job.readOptions);
  const pool = new Pool(job.parallel);
  try {
    for await (const batch of batchesOf(table, job.preparation, (from) => journal.batchAt(from))) {
      const keys = upsertKey === undefined ? [] : keysOf(batch, upsertKey);
      await pool.start(keys, async () => {
        await complete(batch, completion);
        await sendBatch(batch, to);
      });
      progress.show(journal.stored + journal.rejected.length, table.progress());
      refuseTooMany(job, journal);
    }
    await pool.idle();
    refuseTooMany(job, journal);
    journal.noteFinished();
  } finally {
    await pool.settled();
    progress.clear();
    await table.close();
  }
}

function refuseTooMany({ rejectedMax }: ImportJob, { rejected }: Journal): void {
  if (rejected.length <= rejectedMax) return;
  const examples = rejected.slice(0, 3).map(({ line, reason }) => `  line ${line}: ${reason}`);
  throw new CommandFailure(
    [
      `More than ${rejectedMax.toLocaleString('en')} rows were rejected, so the import has stopped:`,
      ...examples,
      'Try --dry-run, which stores nothing. To go on nevertheless, run the same command with a higher --max-rejected.',
    ].join('\n'),
  );
}

interface Completion {
  readonly lookups: BatchLookups;
  readonly files: AttachedFiles;
  readonly patience: Patience;
}

export function completionOf(job: ImportJob, raw: RawOperations, journalId: string, patience: Patience): Completion {
  return {
    lookups: makeLookups(raw, job.application, job.referencesBy),
    files: attachedFiles({
      raw,
      collectionId: job.collection.id,
      folder: attachmentFolderOf(job),
      journalId,
      patience,
    }),
    patience,
  };
}

/** Looks up and uploads what the rows name that are still to be sent. */
async function complete({ rows, done }: PreparedBatch, { lookups, files, patience }: Completion): Promise<void> {
  const pending = rows.slice(done).filter(({ open, problem }) => open.length > 0 && problem === undefined);
  if (pending.length === 0) return;
  const open = pending.flatMap((row) => row.open);
  const unfound = await patience.withRetries(() => lookups.complete(open));
  for (const row of pending) noteProblems(row, unfound);
  for (const row of pending) if (row.problem === undefined) noteProblems(row, await files.upload(row.open, row.number));
}

/** Only looks whether what the rows name is there. */
export async function checkNamed(rows: readonly PreparedRow[], { lookups, files }: Completion): Promise<void> {
  const open = rows.flatMap((row) => row.open);
  if (open.length === 0) return;
  const problems = new Map([...(await lookups.complete(open)), ...(await files.check(open))]);
  for (const row of rows) noteProblems(row, problems);
}

function noteProblems(row: PreparedRow, problems: ReadonlyMap<PreparedRow['open'][number], string>): void {
  const own = row.open.flatMap((one) => {
    const problem = problems.get(one);
    return problem === undefined ? [] : [`${one.column.name}: ${problem}`];
  });
  if (own.length > 0) row.problem = [...(row.problem === undefined ? [] : [row.problem]), ...own].join('; ');
}

function keysOf({ rows }: PreparedBatch, { id }: Column): string[] {
  return rows.map(({ values }) => JSON.stringify(values[id] ?? null));
}

/** A few batches at a time. Two that have a key in common keep their order, so that the later row of a file wins. */
class Pool {
  readonly #max: number;
  readonly #running = new Map<Promise<void>, readonly string[]>();
  #failure: { readonly error: unknown } | undefined;

  constructor(max: number) {
    this.#max = max;
  }

  /** Resolves as soon as the work has begun. */
  async start(keys: readonly string[], work: () => Promise<void>): Promise<void> {
    const own = new Set(keys);
    const collides = () => [...this.#running.values()].some((others) => others.some((key) => own.has(key)));
    while (this.#running.size >= this.#max || collides()) await Promise.race(this.#running.keys());
    this.#throwFailure();
    const running: Promise<void> = work()
      .catch((error: unknown) => {
        this.#failure ??= { error };
      })
      .finally(() => this.#running.delete(running));
    this.#running.set(running, keys);
  }

  async idle(): Promise<void> {
    await this.settled();
    this.#throwFailure();
  }

  async settled(): Promise<void> {
    await Promise.all(this.#running.keys());
  }

  #throwFailure(): void {
    if (this.#failure !== undefined) throw this.#failure.error;
  }
}
