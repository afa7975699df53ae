// @ts-check
// The result as text that is Markdown too.

import { count, table, wrapped } from '../bench/table.mjs';
import { BUSY_MAX, limitOf } from './capacity.mjs';
import { short } from './charts.mjs';
import { MIX } from './costs.mjs';
import { TYPICAL_PART } from './fleet.mjs';

/** A database is in danger above it. */
const HOT_LOAD = 0.7;

const percent = (/** @type {number} */ part) => `${Math.round(part * 100)} %`;
const terabytes = (/** @type {number} */ bytes) => (bytes / 1e12).toFixed(bytes < 1e12 ? 2 : 1);
/**
 * @param {import('./options.mjs').Options} options
 * @param {{ cost: import('./costs.mjs').Cost, recordBytes: number }} measured
 * @param {ReturnType<typeof import('./run.mjs').simulate>} result
 */
export function reportOf(options, { cost, recordBytes }, { needs, databases, population, played, coresPerUser }) {
  const { requests, records, cores, disk, users, applications, days, seed } = options;
  const mix = Object.entries(MIX).map(([name, part]) => `${name} ${percent(part)}`);
  const measured = [
    `A request costs ${count(cost.server)} µs of a server and ${count(cost.database)} µs of a database (${mix.join(', ')}),`,
    `a record ${count(recordBytes)} bytes of the disk with its indexes.`,
    `A user sends ${count(requests)} requests on a working day and has ${count(records)} records.`,
    `A database has ${cores} cores and ${count(disk)} GB; processors are busy to ${percent(BUSY_MAX)} in the busiest hour.`,
  ];
  const needRows = needs.map((need) => {
    const [limit, number] = limitOf(need);
    return [
      ...[short(need.users), count(need.applications), count(need.perSecond), need.serverCores.toFixed(1)],
      ...[terabytes(need.disk), count(need.databases.processor), count(need.databases.disk)],
      ...[count(need.databases.applications), `${count(number)} (${limit})`],
    ];
  });
  const largest = population.users.reduce((most, value) => Math.max(most, value), 0);
  const playedRows = played.map(({ rule, hours, moved, movedBytes }) => {
    const hottest = hours.map((hour) => hour.hottest);
    return [
      rule.name,
      percent(Math.max(...hottest)),
      percent(Math.max(...hours.map(({ mean }) => mean))),
      count(hottest.filter((load) => load > HOT_LOAD).length),
      count(moved),
      terabytes(movedBytes),
    ];
  });
  const one = coresPerUser * TYPICAL_PART;
  return [
    wrapped(measured.join(' ')),
    table(
      [
        ...['users', 'applications', 'requests/s', 'cores of servers', 'TB', 'databases by processor', 'by disk'],
        ...['by applications', 'databases needed'],
      ],
      needRows,
    ),
    wrapped(
      [
        `One application stays on one database: with ${cores} cores busy to ${percent(BUSY_MAX)} it can have about`,
        `${short((cores * BUSY_MAX) / one)} users.`,
      ].join(' '),
    ),
    wrapped(
      [
        `${count(applications)} applications with ${short(users)} users, the largest with ${short(largest)}, on`,
        `${databases} databases, for ${days} days (seed ${seed}):`,
      ].join(' '),
    ),
    table(
      ['placed on, and then', 'hottest', 'mean', `hours above ${percent(HOT_LOAD)}`, 'applications moved', 'TB moved'],
      playedRows,
    ),
  ].join('\n\n');
}
