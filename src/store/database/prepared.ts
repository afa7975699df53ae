// Prepared statements of one connection, bounded in number and in the length of their texts, the least recently used
// forgotten first. With many applications on one server each statement exists once per application, and searches have as
// many forms as people think of: an unbounded set would make every backend of the database grow without end.

import type pg from 'pg';

const STATEMENTS_MAX = 300;
/**
 * In characters. A backend keeps about 40 KB for a prepared statement and a hundred times its text: 4 KB of an insert of 120
 * columns were 0.5 MB, 6 KB of a search 0.55 MB. So this is some 40 MB for each connection at the most.
 */
export const TEXTS_LENGTH_MAX = 256 * 1024;
/** A longer text is parsed each time. An insert into a collection of 300 projected columns is about as long. */
export const TEXT_LENGTH_MAX = 16 * 1024;

interface Prepared {
  /** By text, the least recently used first. */
  readonly names: Map<string, string>;
  length: number;
}

const prepared = new WeakMap<pg.Client, Prepared>();
let counter = 0;

/** The name under which `text` is, or with this use will be, prepared on the connection; undefined if it is not to be. */
export function prepare(client: pg.Client, text: string): string | undefined {
  let held = prepared.get(client);
  if (held === undefined) {
    held = { names: new Map(), length: 0 };
    prepared.set(client, held);
  }
  const { names } = held;
  let name = names.get(text);
  if (name !== undefined) {
    names.delete(text);
  } else {
    if (text.length > TEXT_LENGTH_MAX || !makeRoom(client, held, text.length)) return undefined;
    counter += 1;
    name = `s${counter}`;
    held.length += text.length;
  }
  names.set(text, name);
  return name;
}

/** False when what would have to go is still on its way to the database. */
function makeRoom(client: pg.Client, held: Prepared, length: number): boolean {
  const { connection } = client as pg.Client & { connection: DriverConnection };
  const { names } = held;
  for (const [text, name] of names) {
    if (names.size < STATEMENTS_MAX && held.length + length <= TEXTS_LENGTH_MAX) return true;
    // The driver would note it, for good, when the database has answered.
    if (connection.submittedNamedStatements[name] !== undefined) return false;
    names.delete(text);
    held.length -= text.length;
    // A message of the protocol that travels with the next statement. Unlike `deallocate` it is no error when the name was
    // never prepared, which would abort the transaction under way.
    connection.close({ type: 'S', name });
    // The driver keeps the text of every name it has ever prepared.
    delete connection.parsedStatements[name];
  }
  return true;
}

/** What the driver does not declare of itself. */
interface DriverConnection {
  close(message: { type: 'S'; name: string }): void;
  readonly parsedStatements: Record<string, string>;
  /** Those whose preparation was sent and has not been answered. */
  readonly submittedNamedStatements: Record<string, string>;
}
