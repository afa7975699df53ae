// @ts-check
// All attacks, in the order of the table.

import { BODIES } from './attacks-bodies.mjs';
import { CHUNKS } from './attacks-chunks.mjs';
import { DOORS } from './attacks-doors.mjs';
import { FILES } from './attacks-files.mjs';
import { LONG_RECORDS } from './attacks-long-records.mjs';
import { MANY_ROWS } from './attacks-many-rows.mjs';
import { NONE } from './attacks-none.mjs';
import { PASSWORDS } from './attacks-passwords.mjs';
import { SEARCHES } from './attacks-searches.mjs';

/** @type {readonly import('./attack.mjs').Attack[]} */
export const ATTACKS = [
  ...[...NONE, ...CHUNKS, ...BODIES, ...SEARCHES, ...LONG_RECORDS, ...PASSWORDS],
  ...[...FILES, ...MANY_ROWS, ...DOORS],
];

/** @param {string} name @returns {import('./attack.mjs').Attack} */
export function attackNamed(name) {
  const found = ATTACKS.find((one) => one.name === name);
  if (!found) throw new Error(`no attack is called ${name}`);
  return found;
}
