// Imports a file into a collection: reads, converts, looks up and sends it in batches, a few at a time.

import type { RawOperations } from '../../../client/src/operation-types.ts';
import type {
  ApplicationDefinition,
  CollectionDefinition as Collection,
  ColumnDefinition as Column,
} from '../../../client/src/shapes.ts';
import { MovingFailure } from '../failure.ts';
import type { FileTable } from '../formats/table.ts';
import { problemSentences, type RowProblem } from '../problems.ts';
import type { OpenValue } from '../values/cell-values.ts';
import type { Journal } from './journal.ts';
import { type BatchLookups, makeLookups } from './lookups.ts';
import type { Patience } from './patience.ts';
import { batchesOf, type PreparedBatch, type PreparedRow, type RowPreparation } from './prepared-rows.ts';
import { type Destination, sendBatch } from './send-batch.ts';

export interface ImportJob {
  readonly open: () => Promise<FileTable>;
  readonly application: Pick<ApplicationDefinition, 'collections'>;
  readonly collection: Collection;
  readonly preparation: RowPreparation;
  readonly upsertKey: Column | undefined;
  /** What references are looked up by, other than the column that they show: by the ID of the reference column. */
  readonly referencesBy: ReadonlyMap<string, Column>;
  readonly parallel: number;
  readonly rejectedMax: number;
}

/** What stores the files that cells name. */
export interface AttachedFiles {
  /** Uploads what the values name and completes them; returns a problem for each that cannot be. */
  upload(open: readonly OpenValue[], row: number): Promise<Map<OpenValue, RowProblem>>;
  /** Only looks whether the files are there. */
  check(open: readonly OpenValue[]): Promise<Map<OpenValue, RowProblem>>;
}

export interface ImportSurroundings {
  readonly raw: RawOperations;
  readonly files: AttachedFiles;
  readonly patience: Patience;
  /** Hears how far it is: rows, and the share of the file that is read. */
  readonly progress: (rows: number, share: number) => void;
  /** Before each batch: an importer that pauses waits here, and one that stops throws. */
  readonly beforeBatch?: () => Promise<void>;
}

export async function runImport(job: ImportJob, journal: Journal, surroundings: ImportSurroundings): Promise<void> {
  const { raw, patience, progress, beforeBatch } = surroundings;
  const completion = completionOf(job, surroundings);
  const { collection, upsertKey } = job;
  const to: Destination = { raw, collection, upsertKeyColumnId: upsertKey?.id, journal, patience };
  const table = await job.open();
  const pool = new Pool(job.parallel);
  try {
    for await (const batch of batchesOf(table, job.preparation, (from) => journal.batchAt(from))) {
      await beforeBatch?.();
      const keys = upsertKey === undefined ? [] : keysOf(batch, upsertKey);
      await pool.start(keys, async () => {
        await complete(batch, completion);
        await sendBatch(batch, to);
      });
      progress(journal.stored + journal.rejected.length, table.progress());
      refuseTooMany(job, journal);
    }
    await pool.idle();
    refuseTooMany(job, journal);
    await journal.noteFinished();
  } finally {
    await pool.settled();
    await table.close();
  }
}

function refuseTooMany({ rejectedMax }: ImportJob, { rejected }: Journal): void {
  if (rejected.length <= rejectedMax) return;
  const examples = rejected.slice(0, 3).map(({ line, problems }) => `  line ${line}: ${problemSentences(problems)}`);
  throw new MovingFailure('manyRejected', { count: rejectedMax, text: examples.join('\n') });
}

export interface Completion {
  readonly lookups: BatchLookups;
  readonly files: AttachedFiles;
  readonly patience: Patience;
}

export const completionOf = (
  job: Pick<ImportJob, 'application' | 'referencesBy'>,
  { raw, files, patience }: Pick<ImportSurroundings, 'raw' | 'files' | 'patience'>,
): Completion => ({ lookups: makeLookups(raw, job.application, job.referencesBy), files, patience });

/** Looks up and uploads what the rows name that are still to be sent. */
async function complete({ rows, done }: PreparedBatch, { lookups, files, patience }: Completion): Promise<void> {
  const pending = rows.slice(done).filter(({ open, problems }) => open.length > 0 && problems.length === 0);
  if (pending.length === 0) return;
  const open = pending.flatMap((row) => row.open);
  const unfound = await patience.withRetries(() => lookups.complete(open));
  for (const row of pending) noteProblems(row, unfound);
  for (const row of pending) {
    if (row.problems.length === 0) noteProblems(row, await files.upload(row.open, row.number));
  }
}

/** Only looks whether what the rows name is there. */
export async function checkNamed(
  rows: readonly PreparedRow[],
  { lookups, files, patience }: Completion,
): Promise<void> {
  const open = rows.flatMap((row) => row.open);
  if (open.length === 0) return;
  const unfound = await patience.withRetries(() => lookups.complete(open));
  const problems = new Map([...unfound, ...(await files.check(open))]);
  for (const row of rows) noteProblems(row, problems);
}

function noteProblems(row: PreparedRow, problems: ReadonlyMap<OpenValue, RowProblem>): void {
  for (const one of row.open) {
    const problem = problems.get(one);
    const { id, name } = one.column;
    if (problem !== undefined) row.problems.push({ ...problem, at: { id, name } });
  }
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
