// The journal of an import: which rows are stored and which were rejected. Where it is kept is up to the importer. A batch
// that was sent and not noted as done is sent again with the same key, which the server then answers without storing it a
// second time.

import type { RowProblem } from '../problems.ts';

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
  readonly problems: readonly RowProblem[];
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

export type JournalLine = Settled | Sent | { readonly finished: string };

/** Nothing is sent before the line that says so is written. */
export type WriteLine = (line: JournalLine) => void | Promise<void>;

/** The server keeps the replies to keys for a day; an hour is left for clocks and for the request itself. */
const KEY_MS = 23 * 3_600_000;

export class Journal {
  readonly head: JournalHead;
  readonly #write: WriteLine;
  /** By the first row of the batch. */
  readonly #settled = new Map<number, { rows: number; done: number }>();
  #stored = 0;
  readonly rejected: RejectedRow[] = [];

  constructor(head: JournalHead, lines: readonly JournalLine[], write: WriteLine) {
    this.head = head;
    this.#write = write;
    for (const line of lines) if ('from' in line) this.#apply(line);
  }

  get stored(): number {
    return this.#stored;
  }

  /** How many rows the batch that begins there has, and how many of them are done. */
  batchAt(from: number): { readonly rows: number; readonly done: number } | undefined {
    return this.#settled.get(from);
  }

  async noteSent(firstRow: number): Promise<void> {
    await this.#write({ sent: firstRow, at: Date.now() });
  }

  async noteSettled(settled: Settled): Promise<void> {
    await this.#write(settled);
    this.#apply(settled);
  }

  async noteFinished(): Promise<void> {
    await this.#write({ finished: new Date().toISOString() });
  }

  #apply({ from, rows, done, stored, rejected }: Settled): void {
    this.#settled.set(from, { rows, done });
    this.#stored += stored;
    this.rejected.push(...rejected);
  }
}

export interface KeptJournal {
  readonly head: JournalHead;
  readonly lines: readonly JournalLine[];
}

export interface Wanted {
  readonly content: string;
  readonly target: string;
  /** Storing the rows twice is the same as once. */
  readonly isUpsert: boolean;
}

/** What a journal of the same file says about an import of it. */
export type Verdict =
  | { readonly kind: 'fresh' | 'goOn' | 'imported' | 'otherFile' | 'otherOptions' }
  /** Nobody knows whether these batches were stored, and the server may have forgotten their keys. */
  | { readonly kind: 'forgotten'; readonly rows: readonly number[] };

export function judgeJournal(kept: KeptJournal | undefined, { content, target, isUpsert }: Wanted): Verdict {
  if (kept === undefined) return { kind: 'fresh' };
  const finished = isFinished(kept.lines);
  if (kept.head.content !== content) return { kind: finished ? 'fresh' : 'otherFile' };
  if (finished) return { kind: isUpsert ? 'fresh' : 'imported' };
  if (kept.head.target !== target) return { kind: 'otherOptions' };
  const rows = isUpsert ? [] : forgottenRows(kept.lines);
  return rows.length === 0 ? { kind: 'goOn' } : { kind: 'forgotten', rows };
}

export const isFinished = (lines: readonly JournalLine[]): boolean => lines.some((line) => 'finished' in line);

/** The first rows of batches that were sent too long ago, counted from 1. */
function forgottenRows(lines: readonly JournalLine[]): number[] {
  const open = new Map<number, number>();
  for (const line of lines) {
    if ('sent' in line) open.set(line.sent, line.at);
    else if ('from' in line) {
      for (const row of open.keys()) if (row >= line.from && row < line.from + line.done) open.delete(row);
    }
  }
  return [...open].filter(([, at]) => Date.now() - at > KEY_MS).map(([row]) => row + 1);
}
