// @ts-check
// The scenario `growth`: the same questions to a collection and to one ten times as large, in one database, one
// connection, the two taking turns. What counts is the ratio of the times.

import { prepareApplication } from './application.mjs';
import { startLoad } from './load-process.mjs';
import { measure } from './measure.mjs';
import { operationNamed } from './operations.mjs';
import { note } from './progress.mjs';
import { recordsSide } from './side.mjs';
import { count, megabytes, milliseconds, percent, ratio, table } from './table.mjs';
import { tryOut } from './trial.mjs';

const FACTOR = 10;

export const GROWTH_OPERATIONS = [
  ...['get', 'list newest 100', 'list by title', 'skip 5000', 'after', 'equals'],
  ...['contains rare', 'contains rare by title', 'contains frequent', 'contains 2 Japanese'],
  ...['contains 2 letters few', 'contains 2 letters none', 'contains 1 letter few', 'contains 1 letter none'],
  ...['figures count', 'figures sum by month', 'figures sum of a plain column'],
].map(operationNamed);

/**
 * @param {import('./application.mjs').Ground} ground
 * @param {import('./options.mjs').Options} options
 */
export async function runGrowth(ground, { records, rounds, seconds, only }) {
  const application = await prepareApplication(ground, { items: records, large: records * FACTOR });
  const load = startLoad();
  try {
    const { address, pid } = ground.ours;
    const sides = /** @type {const} */ (['items', 'large']).map((collection) => {
      const filling = application.fillings[collection];
      if (!filling) throw new Error('nothing was loaded');
      const name = filling.total.toLocaleString('en');
      return { collection, ...recordsSide({ name, address, pid, ground, application, collection, filesFolder: '' }) };
    });
    const course = { load, sides, rounds, seconds };
    /** @type {import('./measure.mjs').Result[]} */
    const results = [];
    for (const operation of GROWTH_OPERATIONS) {
      if (only.length > 0 && !only.includes(operation.name)) continue;
      if ((await tryOut(course, operation)).length === sides.length)
        results.push(...(await measure(course, operation, 1)));
    }
    const sizes = await Promise.all(sides.map(({ collection }) => ground.tables.size(collection)));
    return {
      results,
      sizes,
      text: report(
        results,
        sides.map(({ name }) => name),
        sizes,
      ),
    };
  } finally {
    await load.end();
    note('');
  }
}

/**
 * @param {readonly import('./measure.mjs').Result[]} results
 * @param {readonly string[]} names of the small and the large collection
 * @param {readonly { table: number, indexes: number }[]} sizes
 */
function report(results, [small, large], sizes) {
  const rows = results
    .filter(({ side }) => side === small)
    .map((one) => {
      const ten = results.find(({ side, operation }) => side === large && operation === one.operation);
      const pair = (/** @type {(result: import('./measure.mjs').Result) => import('./table.mjs').Cell} */ show) =>
        `${show(one) ?? '–'} / ${(ten && show(ten)) ?? '–'}`;
      return [
        one.operation,
        pair(({ p50 }) => milliseconds(p50)),
        ratio(ten && ten.p50 / one.p50),
        pair(({ p99 }) => milliseconds(p99)),
        pair(({ longest }) => milliseconds(longest)),
        pair(({ perSecond }) => count(perSecond)),
        pair(({ databaseMicros }) => count(databaseMicros)),
        pair(({ othersShare }) => percent(othersShare)),
        pair(({ errors }) => errors),
      ];
    });
  const disk = sizes.map((size) => `table ${megabytes(size.table)} MB, indexes ${megabytes(size.indexes)} MB`);
  return [
    `${small} records / ${large} records, 1 connection; medians of the rounds, the longest of all rounds; % of a core that other programs took`,
    '',
    table(
      ['operation', 'p50 ms', 'ratio', 'p99 ms', 'longest ms', 'requests/s', 'database µs', 'others %', 'errors'],
      rows,
    ),
    '',
    `on disk: ${disk.join(' / ')}`,
  ].join('\n');
}
