// @ts-check
// The scenario `road`: what each stage of a request costs the server in processor time, from a profile whose functions
// are put together by the files that they stand in (stages.mjs).

import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ROOT } from '../scripts/prepare.mjs';
import { Failure } from '../scripts/processes.mjs';
import { operationNamed } from './operations.mjs';
import { profileOperation } from './profiling.mjs';
import { sideOn, sizesFor } from './scenario-limit.mjs';
import { microsByStage, STAGE_NAMES } from './stages.mjs';
import { table } from './table.mjs';

const USUAL = ['get', 'create 1'];

/**
 * @param {import('./application.mjs').Ground} ground
 * @param {import('./options.mjs').Options} options
 */
export async function runRoad(ground, { records, seconds, connections, only, profile, workers = 1 }) {
  if (workers > 1) throw new Failure('A profile is that of one process; not with --workers.');
  const operations = (only.length === 0 ? USUAL : only).map(operationNamed);
  const side = await sideOn(ground, 'ours', sizesFor(operations, records));
  const folder = profile === undefined ? ground.folder : resolve(profile);
  mkdirSync(folder, { recursive: true });
  const columns = [];
  for (const operation of operations) {
    const file = join(folder, `${operation.name.replaceAll(' ', '-')}.cpuprofile`);
    columns.push(columnOf(await profileOperation(side, operation, { connections, seconds, file, root: ROOT })));
  }
  return { results: columns, text: report(columns, connections) };
}

/** @typedef {ReturnType<typeof columnOf>} Column */

/** @param {import('./profiling.mjs').Profiled} profiled */
function columnOf({ operation, requests, places, mainMicros, serverMicros, databaseMicros }) {
  const stages = microsByStage(places);
  const busy = [...stages.values()].reduce((sum, micros) => sum + micros, 0);
  // Of what the processor spent: samples count the time that other programs took, too.
  const total = mainMicros ?? busy / requests;
  const micros = Object.fromEntries([...stages].map(([name, value]) => [name, (total * value) / Math.max(1, busy)]));
  return { operation, total, micros, otherThreads: serverMicros && Math.max(0, serverMicros - total), databaseMicros };
}

/** @param {readonly Column[]} columns @param {number} connections */
function report(columns, connections) {
  /** @param {string} label @param {(column: Column) => number | undefined} value */
  const row = (label, value) => [
    label,
    ...columns.flatMap((column) => {
      const micros = value(column);
      return micros === undefined
        ? [undefined, undefined]
        : [micros.toFixed(1), ((micros * 100) / column.total).toFixed(1)];
    }),
  ];
  return [
    `processor time of the server for one request, ${connections} connections; µs, and % of its main thread`,
    '',
    table(
      ['stage', ...columns.flatMap(({ operation }) => [`${operation} µs`, '%'])],
      [
        ...STAGE_NAMES.map((name) => row(name, ({ micros }) => micros[name] ?? 0)),
        row('main thread', ({ total }) => total),
        row('other threads', ({ otherThreads }) => otherThreads),
        row('database', ({ databaseMicros }) => databaseMicros),
      ],
    ),
  ].join('\n');
}
