// Prepared statements of one connection, bounded in number and in the length of their texts; the least recently used goes
// first. Each statement exists once per application, and searches have countless forms: without a bound every backend of the
// database would grow without end.

import type { Columns } from './columns.ts';
import type { Outgoing } from './outgoing.ts';
import { type Bounds, RecentTexts } from './recent-texts.ts';

/**
 * Short texts are those of a get and of a page, which are as many as there are collections in use. A backend keeps 13 to 17 KB
 * for each, a quarter of what it knows of the table anyway (store/database/known-schemas), and without it a get costs the
 * database three times as much.
 */
export const SHORT_LENGTH_MAX = 512;
const SHORT_MAX = 6_000;
/** Begins the text of a write and its activity entries (store/activity/logged-write). */
export const LOGGED_WRITE = 'with changed as (';
/**
 * A collection has a few of them, while searches have countless forms. Each takes 60 to 70 KB of a backend, about as much as
 * what it knows of the table. There must be more than the applications that a connection knows (store/database/pool): when
 * 10,000 were written to in turn, and each connection kept somewhat fewer texts than it had applications, it dropped each
 * text before its next use, and a quarter of the creates were parsed and planned anew. For creates and updates of as many in
 * turn there are too few.
 */
const WRITES_MAX = 2_000;
/** In characters. A create of a few columns has 1,200. With few and long texts, a connection takes up to 300 MB for them. */
const WRITES_LENGTH_MAX = 3 * 1024 * 1024;
/** Of the others. */
const LONG_MAX = 300;
/**
 * In characters, of the others. A backend keeps about 10 KB for a prepared statement and a hundred times its text: 4 KB of an
 * insert of 120 columns were 0.5 MB, 6 KB of a search 0.55 MB. So this is some 30 MB for each connection at the most.
 */
export const TEXTS_LENGTH_MAX = 256 * 1024;
/** A longer text is parsed each time. An insert into a collection of 300 projected columns is about as long. */
export const TEXT_LENGTH_MAX = 16 * 1024;

/**
 * Ends the text of a statement that one plan suits, whatever its parameters, because it finds rows by their identifiers. On each
 * connection PostgreSQL would plan the first five executions anew: 270 µs for a get that takes 76 with a plan that is kept.
 */
export const PLANNED_ONCE = ' /* planned once */';
/**
 * Telling PostgreSQL so costs 30 µs. A statement that is used more often than this on one connection is then planned anew five
 * times, keeps that plan by itself, and costs nothing more.
 */
export const TOLD_MAX = 10;

export interface PreparedStatement {
  readonly name: string;
  /** The number of uses for which PostgreSQL still has to be told to plan it once. */
  usesTold: number;
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
  readonly #short: BoundedStatements;
  readonly #writes: BoundedStatements;
  readonly #long: BoundedStatements;

  constructor(outgoing: Outgoing) {
    // What uses a statement that is closed here, or prepares it, has been sent before.
    const close = (name: string) => outgoing.addClose(name);
    this.#short = new BoundedStatements(close, { max: SHORT_MAX, lengthMax: SHORT_MAX * SHORT_LENGTH_MAX });
    this.#writes = new BoundedStatements(close, { max: WRITES_MAX, lengthMax: WRITES_LENGTH_MAX });
    this.#long = new BoundedStatements(close, { max: LONG_MAX, lengthMax: TEXTS_LENGTH_MAX });
  }

  /** The prepared statement for this use of `text`; undefined if it is not prepared. */
  use(text: string): PreparedStatement | undefined {
    if (text.length > TEXT_LENGTH_MAX) return undefined;
    if (text.length <= SHORT_LENGTH_MAX) return this.#short.use(text);
    return (text.startsWith(LOGGED_WRITE) ? this.#writes : this.#long).use(text);
  }
}

/**
 * A text is prepared when it is used for the second time. Of thousands of applications many are used once on a connection, while they
 * are published or by a job, and each session compares every table that is made or changed with each of its prepared statements.
 */
class BoundedStatements {
  readonly #prepared: RecentTexts<PreparedStatement>;
  readonly #usedOnce: RecentTexts<true>;

  constructor(close: (name: string) => void, bounds: Bounds) {
    this.#prepared = new RecentTexts(bounds, ({ name }) => close(name));
    this.#usedOnce = new RecentTexts(bounds);
  }

  use(text: string): PreparedStatement | undefined {
    let statement = this.#prepared.take(text);
    if (statement === undefined) {
      if (!this.#usedOnce.take(text)) {
        this.#usedOnce.add(text, true);
        return undefined;
      }
      counter += 1;
      const usesTold = text.endsWith(PLANNED_ONCE) ? TOLD_MAX : 0;
      statement = { name: `s${counter}`, usesTold, state: 'unknown', columns: undefined };
    }
    this.#prepared.add(text, statement);
    return statement;
  }
}
