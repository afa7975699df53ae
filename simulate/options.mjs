// @ts-check
// The command line of the simulation.

import { parseArgs } from 'node:util';
import { Failure } from '../scripts/processes.mjs';

/**
 * @typedef {object} Options
 * @property {number} users of all applications together, on the last day
 * @property {number} applications
 * @property {number} largest users of the largest application
 * @property {number} requests of a user on a working day
 * @property {number} records of a user
 * @property {number} cores of a database
 * @property {number} disk of a database, in GB
 * @property {number} days
 * @property {number} seed
 * @property {number | undefined} recordBytes on the disk, with indexes; measured where it is not given
 * @property {boolean} write
 */

const NUMBERS = {
  users: { fallback: 100_000_000, most: 1e10, help: 'users of all applications together, on the last day' },
  applications: { fallback: 200_000, most: 2_000_000, help: 'applications' },
  largest: { fallback: 2_000_000, most: 1e9, help: 'users that the largest application has at the most' },
  requests: { fallback: 1_000, most: 1e6, help: 'requests of a user on a working day' },
  records: { fallback: 300, most: 1e6, help: 'records of a user' },
  cores: { fallback: 16, most: 1_024, help: 'cores of a database' },
  disk: { fallback: 8_000, most: 1e6, help: 'GB of the disk of a database' },
  days: { fallback: 14, most: 90, help: 'days' },
  seed: { fallback: 1, most: 2 ** 31, help: 'of the choices' },
};

export const USAGE = `Usage: npm run simulate -- [options]

Computes from the measured cost of each operation what a fleet of databases has to carry, and plays what becomes of it when
applications of very different size grow: how loaded the hottest database is, and what moving applications does about it.

${Object.entries(NUMBERS)
  .map(([name, { fallback, help }]) => [`  --${name} N`.padEnd(20), `${help} (default ${fallback})`].join(' '))
  .join('\n')}
  --record-bytes N   what a record takes on the disk, with its indexes (default: measured on a database of its own)
  --write            put the result into docs/scaling.md, and the charts beside it
  --help`;

/** @param {readonly string[]} args @returns {Options | undefined} nothing when only help was wanted */
export function readOptions(args) {
  const values = parse(args);
  if (values.help === true) {
    process.stdout.write(`${USAGE}\n`);
    return undefined;
  }
  /** @param {string} name @param {number} most */
  const number = (name, most) => {
    if (values[name] === undefined) return undefined;
    const value = Number(values[name]);
    if (!Number.isInteger(value) || value < 1 || value > most) {
      throw new Failure(`--${name} takes a whole number from 1 to ${most}.`);
    }
    return value;
  };
  /** @param {keyof typeof NUMBERS} name */
  const given = (name) => number(name, NUMBERS[name].most) ?? NUMBERS[name].fallback;
  return {
    ...{ users: given('users'), applications: given('applications'), largest: given('largest') },
    ...{ requests: given('requests'), records: given('records'), cores: given('cores'), disk: given('disk') },
    ...{ days: given('days'), seed: given('seed'), recordBytes: number('record-bytes', 1e9) },
    write: values.write === true,
  };
}

/** @param {readonly string[]} args @returns {Record<string, string | boolean | undefined>} */
function parse(args) {
  const text = /** @type {const} */ ({ type: 'string' });
  const flag = /** @type {const} */ ({ type: 'boolean' });
  const numbers = Object.fromEntries([...Object.keys(NUMBERS), 'record-bytes'].map((name) => [name, text]));
  try {
    return parseArgs({ args: [...args], options: { ...numbers, write: flag, help: flag } }).values;
  } catch (error) {
    throw new Failure(`${error instanceof Error ? error.message : error}\n${USAGE}`);
  }
}
