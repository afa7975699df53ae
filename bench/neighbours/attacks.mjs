// @ts-check
// All attacks, in the order of the tables.

import { BODIES } from './attacks-bodies.mjs';
import { CHUNKS } from './attacks-chunks.mjs';
import { DOORS } from './attacks-doors.mjs';
import { FILES } from './attacks-files.mjs';
import { LONG_RECORDS } from './attacks-long-records.mjs';
import { MANY_ROWS } from './attacks-many-rows.mjs';
import { NONE } from './attacks-none.mjs';
import { PASSWORDS } from './attacks-passwords.mjs';
import { SEARCHES } from './attacks-searches.mjs';

/** By subject. @type {readonly { subject: string, attacks: readonly import('./attack.mjs').Attack[] }[]} */
export const SUBJECTS = [
  { subject: 'No attack', attacks: NONE },
  { subject: 'Bodies in tiny chunks', attacks: CHUNKS },
  { subject: 'Large bodies', attacks: BODIES },
  { subject: 'Searches', attacks: SEARCHES },
  { subject: 'Long records', attacks: LONG_RECORDS },
  { subject: 'Passwords', attacks: PASSWORDS },
  { subject: 'Files', attacks: FILES },
  { subject: 'Many rows', attacks: MANY_ROWS },
  { subject: 'Many requests and connections', attacks: DOORS },
];

export const ATTACKS = SUBJECTS.flatMap(({ attacks }) => attacks);

/** @param {string} name @returns {import('./attack.mjs').Attack} */
export function attackNamed(name) {
  const found = ATTACKS.find((one) => one.name === name);
  if (!found) throw new Error(`no attack is called ${name}`);
  return found;
}
