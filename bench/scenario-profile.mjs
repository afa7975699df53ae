// @ts-check
// The scenario `profile`: one operation, what the server's processor time goes to, function by function, and what the
// database did for it. All of it goes into a folder.

import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { ROOT } from '../scripts/prepare.mjs';
import { Failure } from '../scripts/processes.mjs';
import { operationNamed } from './operations.mjs';
import { functionsOf, GARBAGE, isIdle, microsOf } from './profile.mjs';
import { profileOperation } from './profiling.mjs';
import { LIMIT_OPERATIONS, sideOn, sizesFor } from './scenario-limit.mjs';
import { count, table } from './table.mjs';

const FUNCTIONS_MAX = 40;

/** Before a server is started for it. @param {import('./options.mjs').Options} options */
export function checkProfile({ only, workers = 1 }) {
  if (only.length === 0) throw new Failure('Which operation? For example: npm run bench -- profile get');
  if (workers > 1) throw new Failure('A profile is that of one process; not with --workers.');
  if (only.some((name) => !LIMIT_OPERATIONS.some((operation) => operation.name === name)))
    throw new Failure(`Operations that can be profiled: ${LIMIT_OPERATIONS.map(({ name }) => name).join(', ')}.`);
}

/**
 * @param {import('./application.mjs').Ground} ground
 * @param {import('./options.mjs').Options} options
 */
export async function runProfile(ground, { records, seconds, connections, only, profile }) {
  const folder = profile === undefined ? mkdtempSync(join(tmpdir(), 'cartulary-profile-')) : resolve(profile);
  mkdirSync(folder, { recursive: true });
  const operations = only.map(operationNamed);
  const side = await sideOn(ground, 'ours', sizesFor(operations, records));
  const texts = [];
  const results = [];
  for (const operation of operations) {
    const name = operation.name.replaceAll(' ', '-');
    const file = join(folder, `${name}.cpuprofile`);
    const profiled = await profileOperation(side, operation, { connections, seconds, file, root: ROOT });
    const text = report(profiled, connections);
    writeFileSync(join(folder, `${name}-functions.txt`), `${text}\n`);
    writeFileSync(join(folder, `${name}-database.txt`), profiled.statistics);
    const { places: _, ...rest } = profiled;
    results.push(rest);
    texts.push(text, `written to ${folder}: ${name}.cpuprofile, ${name}-functions.txt, ${name}-database.txt`);
  }
  return { results, text: texts.join('\n\n') };
}

/** @param {import('./profiling.mjs').Profiled} profiled @param {number} connections */
function report({ operation, requests, perSecond, places, mainMicros, serverMicros, databaseMicros }, connections) {
  const busy = microsOf(places, (place) => !isIdle(place));
  const idle = microsOf(places, isIdle);
  const garbage = microsOf(places, ({ name }) => name === GARBAGE);
  const share = (/** @type {number} */ micros) => `${((micros * 100) / Math.max(1, busy)).toFixed(1)}`;
  // Of what the processor spent: samples count the time that other programs took, too.
  const each = (/** @type {number} */ micros) =>
    mainMicros === undefined ? micros / requests : (mainMicros * micros) / busy;
  const rows = functionsOf(places)
    .slice(0, FUNCTIONS_MAX)
    .map(({ name, where, micros }) => [name, share(micros), each(micros).toFixed(2), where]);
  return [
    `${operation}, ${connections} connections, ${count(requests)} requests, ${count(perSecond)}/s while it was profiled`,
    `processor time for one request: main thread ${count(mainMicros) ?? '–'} µs, all threads ${count(serverMicros) ?? '–'} µs, database ${count(databaseMicros) ?? '–'} µs`,
    `garbage collection ${share(garbage)} % of the main thread's busy time; it was idle for ${((idle * 100) / Math.max(1, busy + idle)).toFixed(1)} % of the time`,
    '',
    table(['function', 'self %', 'µs/request', 'where'], rows),
  ].join('\n');
}
