// The journal of an import: which rows are stored and which were rejected. It lies beside the file, so that the same
// command goes on after the importer, the server or the machine was killed. A batch that was sent and not noted as done
// is sent again with the same key, which the server then answers without storing it a second time.

import { randomBytes } from 'node:crypto';
import { closeSync, openSync, readFileSync, truncateSync, writeSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { CommandFailure } from '../../failure.ts';
import { writeProblem } from '../../output.ts';

export interface JournalHead {
  /** Part of the keys of all batches. */
  readonly id: string;
  readonly file: string;
  /** SHA-256 of the file. */
  readonly content: string;
  /** Where the records go, and everything that decides how rows become records. */
  readonly target: string;
  readonly startedAt: string;
}

export interface RejectedRow {
  readonly row: number;
  readonly line: number;
  readonly reason: string;
}

/** What one request settled: the first `done` of the `rows` of the batch that begins with row `from`. */
export interface Settled {
  readonly from: number;
  readonly rows: number;
  readonly done: number;
  readonly stored: number;
  readonly rejected: readonly RejectedRow[];
}

interface Sent {
  /** The first row of the request. */
  readonly sent: number;
  readonly at: number;
}

type Line = Settled | Sent | { readonly finished: string };

/** The server keeps the replies to keys for a day; an hour is left for clocks and for the request itself. */
const KEY_MS = 23 * 3_600_000;

export class Journal {
  readonly head: JournalHead;
  readonly path: string;
  readonly #file: number;
  /** By the first row of the batch. */
  readonly #settled = new Map<number, { rows: number; done: number }>();
  #stored = 0;
  readonly rejected: RejectedRow[] = [];

  constructor(path: string, head: JournalHead, lines: readonly Line[]) {
    this.path = path;
    this.head = head;
    this.#file = openFile(path);
    if (lines.length === 0) this.#write(head);
    for (const line of lines) if ('from' in line) this.#apply(line);
  }

  get stored(): number {
    return this.#stored;
  }

  /** How many rows the batch that begins there has, and how many of them are done. */
  batchAt(from: number): { readonly rows: number; readonly done: number } | undefined {
    return this.#settled.get(from);
  }

  noteSent(firstRow: number): void {
    this.#write({ sent: firstRow, at: Date.now() });
  }

  noteSettled(settled: Settled): void {
    this.#write(settled);
    this.#apply(settled);
  }

  noteFinished(): void {
    this.#write({ finished: new Date().toISOString() });
  }

  close(): void {
    closeSync(this.#file);
  }

  #apply({ from, rows, done, stored, rejected }: Settled): void {
    this.#settled.set(from, { rows, done });
    this.#stored += stored;
    this.rejected.push(...rejected);
  }

  /** Not flushed to the disk: after a power failure the batches that are missing here are sent again. */
  #write(line: Line | JournalHead): void {
    const bytes = Buffer.from(`${JSON.stringify(line)}\n`);
    try {
      // A disk that becomes full takes a part of the line, and refuses only the rest.
      for (let at = 0; at < bytes.length; ) at += writeSync(this.#file, bytes, at);
    } catch (error) {
      throw cannotWrite(this.path, error, ' Afterwards run the same command again: it goes on where it was.');
    }
  }
}

export interface Wanted {
  readonly path: string;
  readonly file: string;
  readonly content: string;
  readonly target: string;
  /** Storing the rows twice is the same as once. */
  readonly isUpsert: boolean;
  readonly restart: boolean;
}

/** Goes on with a journal that fits, or begins one. */
export async function openJournal(wanted: Wanted): Promise<Journal> {
  const { path, file, content, target, isUpsert, restart } = wanted;
  const kept = restart ? undefined : await readJournal(path);
  if (kept === undefined || kept.head.content !== content) {
    if (kept !== undefined && !isFinished(kept.lines)) throw changedFile(wanted);
    return begin(wanted);
  }
  if (isFinished(kept.lines)) {
    if (isUpsert) return begin(wanted);
    throw new CommandFailure(
      `${file} has been imported there already (${path} tells when). Importing it again would store every record a second time; if that is meant, add --restart.`,
    );
  }
  if (kept.head.target !== target) {
    throw new CommandFailure(
      `An import of ${file} with other options has not come to its end. Run it with the same options, or begin anew with --restart, which does not delete what was stored.`,
    );
  }
  if (!isUpsert) refuseForgotten(wanted, kept.lines);
  return new Journal(path, kept.head, kept.lines);
}

/** Whether an import with this journal has begun and not come to its end. */
export async function hasUnfinishedImport(path: string): Promise<boolean> {
  const kept = await readJournal(path);
  return kept !== undefined && !isFinished(kept.lines);
}

const isFinished = (lines: readonly Line[]): boolean => lines.some((line) => 'finished' in line);

async function begin({ path, file, content, target }: Wanted): Promise<Journal> {
  await rm(path, { force: true });
  const id = randomBytes(12).toString('hex');
  return new Journal(path, { id, file, content, target, startedAt: new Date().toISOString() }, []);
}

/** Without what a full disk or a kill left of a last line: the next one would be written onto its end. */
function openFile(path: string): number {
  try {
    const file = openSync(path, 'a', 0o600);
    const bytes = readFileSync(path);
    const whole = bytes.lastIndexOf(10) + 1;
    if (whole < bytes.length) truncateSync(path, whole);
    return file;
  } catch (error) {
    throw cannotWrite(path, error, '');
  }
}

/** The journal is beside the imported file, and nothing is sent that it cannot note. */
const cannotWrite = (path: string, error: unknown, more: string): CommandFailure =>
  new CommandFailure(
    `Cannot write ${path}, which notes how far the import is: ${writeProblem(error as NodeJS.ErrnoException)}${more}`,
    { cause: error },
  );

async function readJournal(path: string): Promise<{ head: JournalHead; lines: Line[] } | undefined> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw new CommandFailure(`Cannot read ${path}: ${error.message}`);
  });
  // A line that was being written when the importer was killed is cut off.
  const lines = (text ?? '').split('\n').slice(0, -1);
  const [head, ...rest] = lines.map((line) => JSON.parse(line));
  return head === undefined ? undefined : { head, lines: rest };
}

const changedFile = ({ file, path }: Wanted): CommandFailure =>
  new CommandFailure(
    `${file} has changed since its import was interrupted, so that nobody knows which of its rows are stored (${path}). Import the former file to its end, or begin anew with --restart, which does not delete what was stored.`,
  );

/** Batches of which nobody knows whether they were stored, and whose keys the server may have forgotten. */
function refuseForgotten({ file }: Wanted, lines: readonly Line[]): void {
  const open = new Map<number, number>();
  for (const line of lines) {
    if ('sent' in line) open.set(line.sent, line.at);
    else if ('from' in line) {
      for (const row of open.keys()) if (row >= line.from && row < line.from + line.done) open.delete(row);
    }
  }
  const old = [...open].filter(([, at]) => Date.now() - at > KEY_MS).map(([row]) => row + 1);
  if (old.length === 0) return;
  throw new CommandFailure(
    `The import of ${file} was interrupted more than a day ago while rows were on their way (the hundred from row ${old.join(', and from row ')}). Look whether they are stored, and import the rest from a file of its own; --restart begins anew.`,
  );
}
