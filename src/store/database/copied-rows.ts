// Rows as bytes. The driver makes strings of all that a query answers, which for long texts took four times the work of the rest
// and lay in the heap; what is copied out it hands over as it came (PostgreSQL, "COPY", binary format).

import pg from 'pg';

/** Signature, flags, and the length of what may stand behind them. */
const HEADER_BYTES = 19;
const EXTENSION_AT = 15;
const FIELDS_BYTES = 2;
const LENGTH_BYTES = 4;
/** In the place of a number of fields. */
const END = -1;

export type CopiedRow = readonly (Buffer | null)[];

/** What the driver does not declare of itself: queries are told of what is copied. */
class CopyQuery extends pg.Query {
  readonly copied: CopiedRow[] = [];
  #isBegun = false;

  handleCopyData({ chunk }: { chunk: Buffer }): void {
    let at = this.#isBegun ? 0 : HEADER_BYTES + chunk.readInt32BE(EXTENSION_AT);
    this.#isBegun = true;
    while (at < chunk.length && chunk.readInt16BE(at) !== END) at = this.#readRow(chunk, at);
  }

  /** Gives where the next begins. Values are copied out of the buffer that they came in: the driver uses it again. */
  #readRow(chunk: Buffer, start: number): number {
    const fields = chunk.readInt16BE(start);
    const row: (Buffer | null)[] = [];
    let at = start + FIELDS_BYTES;
    for (let field = 0; field < fields; field++) {
      // Negative where there is no value.
      const length = chunk.readInt32BE(at);
      at += LENGTH_BYTES;
      row.push(length < 0 ? null : Buffer.from(chunk.subarray(at, at + length)));
      at += Math.max(0, length);
    }
    this.copied.push(row);
    return at;
  }
}

/** The rows of a query without parameters, which cannot be copied. */
export function copyRows(client: pg.Client, query: string): Promise<CopiedRow[]> {
  return new Promise((resolve, reject) => {
    const copy: CopyQuery = new CopyQuery(`copy (${query}) to stdout (format binary)`, (error) => {
      if (error) reject(error);
      else resolve(copy.copied);
    });
    client.query(copy);
  });
}
