// Rows as bytes. `pg` makes strings of all values, which for long texts took four times the work of the rest and filled the
// heap; data of a COPY it hands over unchanged (PostgreSQL, "COPY", binary format).

import type pg from 'pg';
import { SentStatement } from './sent-statement.ts';

/** Signature, flags, and the length of the header extension. */
const HEADER_BYTES = 19;
const EXTENSION_AT = 15;
const FIELDS_BYTES = 2;
const LENGTH_BYTES = 4;
/** Instead of a field count. */
const END = -1;

export type CopiedRow = readonly (Buffer | null)[];

/** `pg` calls `handleCopyData` with the data of a COPY. */
class CopyStatement extends SentStatement {
  readonly copied: CopiedRow[] = [];
  #isBegun = false;

  handleCopyData({ chunk }: { chunk: Buffer }): void {
    let at = this.#isBegun ? 0 : HEADER_BYTES + chunk.readInt32BE(EXTENSION_AT);
    this.#isBegun = true;
    while (at < chunk.length && chunk.readInt16BE(at) !== END) at = this.#readRow(chunk, at);
  }

  /** Returns the offset of the next row. Values are copied out of the chunk: `pg` reuses its buffer. */
  #readRow(chunk: Buffer, start: number): number {
    const fields = chunk.readInt16BE(start);
    const row: (Buffer | null)[] = [];
    let at = start + FIELDS_BYTES;
    for (let field = 0; field < fields; field++) {
      // Negative for null.
      const length = chunk.readInt32BE(at);
      at += LENGTH_BYTES;
      row.push(length < 0 ? null : Buffer.from(chunk.subarray(at, at + length)));
      at += Math.max(0, length);
    }
    this.copied.push(row);
    return at;
  }
}

/** The rows of a query without parameters, which COPY does not allow. */
export function copyRows(client: pg.Client, query: string): Promise<CopiedRow[]> {
  return new Promise((resolve, reject) => {
    const statement = { text: `copy (${query}) to stdout (format binary)`, params: [] };
    const copy = new CopyStatement(client, statement, (error) => {
      if (error === undefined) resolve(copy.copied);
      else reject(error);
    });
    client.query(copy);
  });
}
