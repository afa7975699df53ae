// @ts-check
// The process of the attacker: it is given an attack by its name, and says what it sent. It stands back behind all
// others for a processor, so that what is measured is the server and not who else wants one.

import { setMaxListeners } from 'node:events';
import { setPriority } from 'node:os';
import { takeJobs } from '../jobs.mjs';
import { newTally } from './attack.mjs';
import { attackNamed } from './attacks.mjs';

const NICENESS = 10;

setPriority(NICENESS);

takeJobs(async (/** @type {{ name: string, field: import('./attack.mjs').Field }} */ { name, field }, signal) => {
  // Each connection listens.
  setMaxListeners(0, signal);
  const tally = newTally();
  await attackNamed(name).run({ ...field, signal, tally });
  return tally;
});
