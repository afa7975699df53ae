// A file as a table: what every format reads into and is written from.

import type { RowProblem } from '../problems.ts';

/** As JSON has it; undefined where the cell is empty. CSV has only texts. */
export type Cell = unknown;

export interface TableRow {
  /** Where a person finds it: the line of a text file, or the row of a sheet. */
  readonly line: number;
  readonly cells: readonly Cell[];
  /** Why it cannot be read; `cells` then hold what could be. */
  readonly problem?: RowProblem;
}

export interface FileTable {
  /** JSON Lines have no heading: names are added as rows with new members come. */
  readonly header: readonly string[];
  readonly rows: AsyncIterable<TableRow>;
  /** How much of the file has been read, from 0 to 1. */
  progress(): number;
  close(): Promise<void>;
}

export interface ReadOptions {
  /** Of text files: a label that TextDecoder knows. */
  readonly encoding?: string;
  /** Of CSV; guessed if it is absent. */
  readonly delimiter?: string;
  /** Of Excel: the name of the sheet; the first if it is absent. */
  readonly sheet?: string;
}

/** What a writer writes to. Resolves when more may be written. */
export interface TextOutput {
  write(text: string): Promise<void>;
  /** Resolves once everything is handed over. */
  end(text: string): Promise<void>;
}

export interface TableWriter {
  /** Resolves when more may be written. */
  write(cells: readonly Cell[]): Promise<void>;
  /** Writes the end; resolves once everything is handed over. */
  end(): Promise<void>;
}

/** What a cell of a spreadsheet shows as a date, a time of day or both. */
export class SheetDate {
  readonly kind: 'date' | 'time';
  readonly text: string;

  constructor(kind: 'date' | 'time', text: string) {
    this.kind = kind;
    this.text = text;
  }
}

/** Of a cell or a line. A record holds at most 2 MB, and JSON may write a character with six. */
export const CELL_CHARACTERS_MAX = 4 * 1024 * 1024;
