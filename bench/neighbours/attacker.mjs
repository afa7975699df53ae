// @ts-check
// The attacker's process: runs an attack by name and reports what it sent.

import { setMaxListeners } from 'node:events';
import { takeJobs } from '../jobs.mjs';
import { newTally } from './attack.mjs';
import { attackNamed } from './attacks.mjs';

takeJobs(async (/** @type {{ name: string, field: import('./attack.mjs').Field }} */ { name, field }, signal) => {
  // Each connection adds a listener.
  setMaxListeners(0, signal);
  const tally = newTally();
  await attackNamed(name).run({ ...field, signal, tally });
  return tally;
});
