// Prepared statements of one connection, bounded in number and in the length of their texts; the least recently used goes
// first. Each statement exists once per application, and searches have countless forms: without a bound every backend of the
// database would grow without end.

import type pg from 'pg';
import { closePrepared } from './driver.ts';

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

/** The name under which `text` is prepared on the connection, or will be by this use; undefined if it must not be prepared. */
export function preparedName(client: pg.Client, text: string): string | undefined {
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

/** False when the preparation of the oldest statement is not confirmed yet. */
function makeRoom(client: pg.Client, held: Prepared, length: number): boolean {
  const { names } = held;
  for (const [text, name] of names) {
    if (names.size < STATEMENTS_MAX && held.length + length <= TEXTS_LENGTH_MAX) return true;
    if (!closePrepared(client, name)) return false;
    names.delete(text);
    held.length -= text.length;
  }
  return true;
}
