// Prepared statements of one connection, bounded in number and in the length of their texts; the least recently used goes
// first. Each statement exists once per application, and searches have countless forms: without a bound every backend of the
// database would grow without end.

import type { Columns } from './columns.ts';
import type { Outgoing } from './outgoing.ts';

const STATEMENTS_MAX = 300;
/**
 * In characters. A backend keeps about 40 KB for a prepared statement and a hundred times its text: 4 KB of an insert of 120
 * columns were 0.5 MB, 6 KB of a search 0.55 MB. So this is some 40 MB for each connection at the most.
 */
export const TEXTS_LENGTH_MAX = 256 * 1024;
/** A longer text is parsed each time. An insert into a collection of 300 projected columns is about as long. */
export const TEXT_LENGTH_MAX = 16 * 1024;

export interface PreparedStatement {
  readonly name: string;
  /** Whether the database knows it; `sent` while the first statement that uses it has no result. */
  state: 'unknown' | 'sent' | 'known';
  /**
   * Undefined until they have arrived. They do not change: when its tables no longer give the same columns, the statement
   * fails (0A000).
   */
  columns: Columns | undefined;
}

let counter = 0;

export class PreparedStatements {
  readonly #outgoing: Outgoing;
  /** By text, the least recently used first. */
  readonly #statements = new Map<string, PreparedStatement>();
  #length = 0;

  constructor(outgoing: Outgoing) {
    this.#outgoing = outgoing;
  }

  /** The prepared statement for this use of `text`; undefined if it must not be prepared. */
  use(text: string): PreparedStatement | undefined {
    let statement = this.#statements.get(text);
    if (statement !== undefined) {
      this.#statements.delete(text);
    } else {
      if (text.length > TEXT_LENGTH_MAX) return undefined;
      this.#makeRoom(text.length);
      counter += 1;
      statement = { name: `s${counter}`, state: 'unknown', columns: undefined };
      this.#length += text.length;
    }
    this.#statements.set(text, statement);
    return statement;
  }

  /** What uses a statement that is closed here, or prepares it, has been sent before. */
  #makeRoom(length: number): void {
    for (const [text, { name }] of this.#statements) {
      if (this.#statements.size < STATEMENTS_MAX && this.#length + length <= TEXTS_LENGTH_MAX) return;
      this.#outgoing.addClose(name);
      this.#statements.delete(text);
      this.#length -= text.length;
    }
  }
}
