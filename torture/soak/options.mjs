// @ts-check
// The command line of the soak.

import { parseArgs } from 'node:util';
import { Failure } from '../../scripts/processes.mjs';

/**
 * @typedef {object} Options
 * @property {number} minutes
 * @property {number} load percent of the capacity
 * @property {number} nodes
 * @property {number} clients that measure the capacity
 * @property {number} records that are there all the time
 * @property {number} capacitySeconds
 * @property {number} everySeconds from one fault to the next
 * @property {number} sampleSeconds
 * @property {number} heap of each node, in MB
 * @property {number} seed
 * @property {boolean} write
 * @property {(cluster: import('../cluster.mjs').Cluster, applicationId: string) => Promise<void>} [meddle] with the state before it is checked, to see that the checks notice
 */

const NUMBERS = {
  minutes: { least: 0.1, most: 10_000, help: 'that the load lasts (default 60)' },
  load: { least: 1, most: 100, help: 'percent of the capacity (default 60)' },
  nodes: { least: 1, most: 8, help: 'servers on the one database (default 2)' },
  clients: { least: 1, most: 200, help: 'at once while the capacity is measured (default 16)' },
  records: { least: 20, most: 40_000, help: 'records that are there all the time (default 5000; 500 below 5 minutes)' },
  capacity: { least: 1, most: 600, help: 'seconds that the capacity is measured (default 30; less in short runs)' },
  every: { least: 1, most: 3_600, help: 'seconds from one fault to the next (default 60; less in short runs)' },
  sample: { least: 0.2, most: 600, help: 'seconds from one sample to the next (default 10; less in short runs)' },
  heap: { least: 64, most: 65_536, help: 'MB of the heap of each server (default 256)' },
};

export const USAGE = `Usage: npm run torture -- soak [options]

Measures the capacity of a cluster of its own, then keeps it at a part of that for an hour, with a fault every minute.
Exits with 1 if memory, file handles, connections or times of replies grow, if an acknowledged change is lost, or if a
reply is a 500. Runs of less than twenty minutes are not judged by growth.

${Object.entries(NUMBERS)
  .map(([name, { help }]) => [`  --${name} N`.padEnd(17), help].join(' '))
  .join('\n')}
  --seed N         of the choices (default: by the clock)
  --write          put the result into docs/reliability.md and docs/soak.svg
  --help`;

/** @param {number} least @param {number} value @param {number} most */
const between = (least, value, most) => Math.min(most, Math.max(least, value));

/** @param {readonly string[]} args @returns {Options | undefined} nothing when only help was wanted */
export function readOptions(args) {
  const values = parse(args);
  if (values.help) {
    process.stdout.write(`${USAGE}\n`);
    return undefined;
  }
  /** @param {keyof typeof NUMBERS} name @param {number} fallback */
  const number = (name, fallback) => {
    const { least, most } = NUMBERS[name];
    const value = values[name] === undefined ? fallback : Number(values[name]);
    if (!(value >= least && value <= most)) throw new Failure(`--${name} takes a number from ${least} to ${most}.`);
    return value;
  };
  const minutes = number('minutes', 60);
  const seconds = minutes * 60;
  const seed = values.seed === undefined ? Date.now() % 1_000_000_000 : Number(values.seed);
  if (!Number.isInteger(seed) || seed < 0) throw new Failure('--seed takes a whole number.');
  return {
    ...{ minutes, seed, load: number('load', 60), nodes: Math.round(number('nodes', 2)) },
    clients: Math.round(number('clients', 16)),
    records: Math.round(number('records', minutes < 5 ? 500 : 5_000)),
    capacitySeconds: number('capacity', between(1, seconds / 6, 30)),
    everySeconds: number('every', between(1, seconds / 5, 60)),
    sampleSeconds: number('sample', between(0.5, seconds / 60, 10)),
    ...{ heap: Math.round(number('heap', 256)), write: values.write === true },
  };
}

/** @param {readonly string[]} args */
function parse(args) {
  const text = /** @type {const} */ ({ type: 'string' });
  const flag = /** @type {const} */ ({ type: 'boolean' });
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        ...{ minutes: text, load: text, nodes: text, clients: text, records: text, capacity: text, every: text },
        ...{ sample: text, heap: text, seed: text, write: flag, help: flag },
      },
    });
    return values;
  } catch (error) {
    throw new Failure(`${error instanceof Error ? error.message : error}\n\n${USAGE}`);
  }
}
