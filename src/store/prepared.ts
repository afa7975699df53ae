// Prepared statements of one connection: a bounded number of them, the least recently used forgotten first.
// With many applications on one server each statement exists once per application, and an unbounded set would make
// every backend of the database grow without end.

import type pg from 'pg';

const STATEMENTS_MAX = 300;

const prepared = new WeakMap<pg.Client, Map<string, string>>();
let counter = 0;

/** The name under which `text` is, or with this use will be, prepared on the connection. */
export function prepare(client: pg.Client, text: string): string {
  let names = prepared.get(client);
  if (names === undefined) {
    names = new Map();
    prepared.set(client, names);
  }
  let name = names.get(text);
  if (name !== undefined) {
    names.delete(text);
  } else {
    counter += 1;
    name = `s${counter}`;
    if (names.size >= STATEMENTS_MAX) forgetOldest(client, names);
  }
  names.set(text, name);
  return name;
}

function forgetOldest(client: pg.Client, names: Map<string, string>): void {
  const oldest = names.entries().next().value;
  if (oldest === undefined) return;
  const [text, name] = oldest;
  names.delete(text);
  const { connection } = client as pg.Client & { connection: DriverConnection };
  // A message of the protocol that travels with the next statement. Unlike `deallocate` it is no error when the name was
  // never prepared, which would abort the transaction under way.
  connection.close({ type: 'S', name });
  // The driver keeps the text of every name it has ever prepared.
  delete connection.parsedStatements[name];
}

/** What the driver does not declare of itself. */
interface DriverConnection {
  close(message: { type: 'S'; name: string }): void;
  readonly parsedStatements: Record<string, string>;
}
