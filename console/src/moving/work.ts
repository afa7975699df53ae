// What the page and its worker say to each other. The worker reads, converts, sends and writes, so that the page stays
// quick whatever the size of a file.

import type { FailureParams, MovingFailureCode } from '../../../src/moving/failure.ts';
import type { CsvForm } from '../../../src/moving/formats/csv-write.ts';
import type { FileFormat } from '../../../src/moving/formats/format-names.ts';
import type { Checked } from '../../../src/moving/import/dry-run.ts';
import type { RejectedRow, Verdict } from '../../../src/moving/import/journal.ts';
import type { RowProblem } from '../../../src/moving/problems.ts';
import type { WireValue } from '../../../src/moving/values/cell-values.ts';
import type { ApplicationDefinition, ListRecords } from '../api/client.ts';
import type { GuessedColumn } from '../design/guess.ts';
import type { Choices, FileForm, Look } from './choices.ts';
import type { Progress } from './rates.ts';
import type { ShownForm } from './worker/shown-cells.ts';

export interface Place {
  readonly application: ApplicationDefinition;
  readonly collection: string;
  /** Whose import it is: the browser may be shared. */
  readonly user: string;
}

export interface ImportPlan extends Place {
  readonly file: File;
  readonly choices: Choices;
}

export interface ExportPlan {
  readonly application: ApplicationDefinition;
  readonly columns: readonly string[];
  readonly query: Omit<ListRecords, 'limit' | 'skip' | 'after'>;
  /** Some of what the query lists: these, or all but these. */
  readonly selection?: { readonly all: boolean; readonly ids: ReadonlySet<string> };
  readonly format: FileFormat;
  readonly csv: CsvForm;
  readonly withMetadata: boolean;
  readonly timeZone: string;
  /** How the page shows values; without it, they are written so that an import reads the same. */
  readonly shown?: ShownForm;
  /** Where the file is written to; without it, it is put together in memory. */
  readonly target?: FileSystemFileHandle;
}

/** An import of a file that this browser remembers. */
export interface Remembered {
  readonly choices: Choices;
  readonly file: string;
  readonly stored: number;
  /** ISO 8601; undefined for one that has not come to its end. */
  readonly finishedAt: string | undefined;
}

export interface PreviewCell {
  /** Undefined where the row has no value for the column. */
  readonly value?: WireValue;
  /** What names a user, a file or a record, which the value has by its ID. */
  readonly text?: string;
  readonly problems: readonly RowProblem[];
}

export interface PreviewRow {
  readonly line: number;
  /** In the order of the mapped columns. */
  readonly cells: readonly PreviewCell[];
  /** Of the whole row. */
  readonly problems: readonly RowProblem[];
}

export interface ImportOutcome {
  readonly stored: number;
  readonly rejected: readonly RejectedRow[];
  /** When the first record of this import was sent. */
  readonly startedAt: string;
  readonly isStopped: boolean;
}

/** The work by its name: what it is given, and what comes of it. */
export interface Works {
  readonly look: { readonly given: { readonly file: File; readonly form: Partial<FileForm> }; readonly result: Look };
  /** Columns for a new collection. */
  readonly guess: {
    readonly given: { readonly file: File; readonly form: Partial<FileForm> };
    readonly result: readonly GuessedColumn[];
  };
  readonly recall: { readonly given: Place & { readonly file: File }; readonly result: Remembered | undefined };
  readonly unfinished: { readonly given: Place; readonly result: readonly Remembered[] };
  readonly preview: { readonly given: ImportPlan; readonly result: readonly PreviewRow[] };
  readonly check: { readonly given: ImportPlan; readonly result: Checked | undefined };
  readonly import: {
    readonly given: ImportPlan & { readonly restart: boolean };
    readonly result: ImportOutcome | { readonly refused: Verdict };
  };
  readonly rejected: {
    readonly given: ImportPlan & { readonly reasons: ReadonlyMap<number, string> };
    readonly result: Blob;
  };
  readonly export: {
    readonly given: ExportPlan;
    readonly result: { readonly records: number; readonly blob?: Blob } | undefined;
  };
}
export type WorkName = keyof Works;

export interface Ordered<Name extends WorkName = WorkName> {
  readonly id: number;
  readonly work: Name;
  readonly given: Works[Name]['given'];
}

/** What a run that takes long is told meanwhile. */
export interface Control {
  readonly control: 'pause' | 'resume' | 'stop';
}

export type Failure =
  | { readonly kind: 'moving'; readonly code: MovingFailureCode; readonly params: FailureParams }
  | {
      readonly kind: 'refused';
      readonly status: number;
      readonly code: string;
      readonly params: Readonly<Record<string, unknown>>;
      readonly retryAfterSeconds: number | undefined;
    }
  | { readonly kind: 'unreachable' }
  | { readonly kind: 'other'; readonly message: string };

export type Told =
  | { readonly id: number; readonly progress: Progress }
  | { readonly id: number; readonly result: Works[WorkName]['result'] }
  | { readonly id: number; readonly failure: Failure };
