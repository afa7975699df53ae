// @ts-check
// Starts the bare limit (bare.mjs) on the database of the server that it is measured against.

import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { startNode } from './children.mjs';
import { SCHEMA } from './tables.mjs';
import { publishDocument } from './work.mjs';

const PROGRAM = fileURLToPath(new URL('./bare.mjs', import.meta.url));
/** The collections that it is asked about. @type {readonly string[]} */
const ASKED = ['items', 'places', 'linked'];

/** @param {import('./side-ours.mjs').Ours['connection']} connection @param {string} folder for files */
export async function startBare(connection, folder) {
  mkdirSync(folder, { recursive: true });
  const tables = publishDocument()
    .collections.filter(({ name }) => ASKED.includes(name))
    .map(({ name, id, columns }) => ({
      name,
      id,
      columns: Object.fromEntries(columns.map((column) => [column.name, column.id])),
    }));
  const child = await startNode([PROGRAM, JSON.stringify({ connection, schema: SCHEMA, tables, folder })], {
    ready: /^bare limit at (http:\S+)$/m,
  });
  return { address: child.ready, pid: child.pid, stop: child.end };
}
