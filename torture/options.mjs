// @ts-check
// The command line of the torture.

import { parseArgs } from 'node:util';
import { Failure } from '../scripts/processes.mjs';
import { FAULTS } from './faults.mjs';

/**
 * @typedef {object} Options
 * @property {number} seed of the first round; the next has the next
 * @property {number} rounds
 * @property {number} clusters
 * @property {number} nodes
 * @property {number} clients
 * @property {number} faults in a round
 * @property {number} paceMs
 * @property {number} holdMs
 * @property {number} minutes after which no further round begins
 * @property {readonly string[]} only
 * @property {boolean} disks
 * @property {boolean} isPlain
 * @property {boolean} write
 */

const NUMBERS = {
  rounds: { fallback: 5, most: 100_000, help: 'rounds' },
  clusters: { fallback: 1, most: 16, help: 'clusters at the same time, each with rounds of its own' },
  nodes: { fallback: 2, most: 8, help: 'servers on the one database' },
  clients: { fallback: 6, most: 200, help: 'clients with records of their own; half as many again share registers' },
  faults: { fallback: 3, most: 50, help: 'faults in a round, one after the other' },
  pace: { fallback: 15, most: 10_000, help: 'milliseconds at most between two requests of a client' },
  hold: { fallback: 1_800, most: 60_000, help: 'milliseconds at most that a fault lasts' },
  minutes: { fallback: 600, most: 10_000, help: 'no round begins after so many' },
};

export const USAGE = `Usage: npm run torture -- [options]
       npm run torture -- soak|fuzz --help

Servers, database, network and disks fail at random while clients work; after each round the whole state is compared with
what clients were told. Exits with 1 if anything is wrong, and prints the seed that repeats the round.

${Object.entries(NUMBERS)
  .map(([name, { fallback, help }]) => [`  --${name} N`.padEnd(17), `${help} (default ${fallback})`].join(' '))
  .join('\n')}
  --seed N        of the first round (default: by the clock)
  --only KIND     only these faults, separated by commas; --list lists them
  --no-disks      without file systems of bounded size, which need root
  --plain         start all nodes alike in every round: one process, files on the disk
  --write         put the report into docs/reliability.md
  --list          list the kinds of faults`;

/** @param {readonly string[]} args @returns {Options | undefined} nothing when only help was wanted */
export function readOptions(args) {
  const values = parse(args);
  if (values.help || values.list) {
    process.stdout.write(`${values.list ? Object.keys(FAULTS).join('\n') : USAGE}\n`);
    return undefined;
  }
  const only = String(values.only ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean);
  const unknown = only.find((name) => !(name in FAULTS));
  if (unknown !== undefined) throw new Failure(`There is no fault ${unknown}; --list lists them.`);
  const number = (/** @type {keyof typeof NUMBERS} */ name) => {
    const value = values[name] === undefined ? NUMBERS[name].fallback : Number(values[name]);
    if (!Number.isInteger(value) || value < 1 || value > NUMBERS[name].most) {
      throw new Failure(`--${name} takes a whole number up to ${NUMBERS[name].most}.`);
    }
    return value;
  };
  const seed = values.seed === undefined ? Date.now() % 1_000_000_000 : Number(values.seed);
  if (!Number.isInteger(seed) || seed < 0) throw new Failure('--seed takes a whole number.');
  return {
    ...{ seed, only, rounds: number('rounds'), clusters: number('clusters') },
    ...{ nodes: number('nodes'), clients: number('clients') },
    ...{ faults: number('faults'), paceMs: number('pace'), holdMs: number('hold'), minutes: number('minutes') },
    ...{ disks: !values['no-disks'], isPlain: values.plain === true, write: values.write === true },
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
        ...{
          rounds: text,
          clusters: text,
          nodes: text,
          clients: text,
          faults: text,
          pace: text,
          hold: text,
          minutes: text,
        },
        ...{ seed: text, only: text, 'no-disks': flag, plain: flag, write: flag, list: flag, help: flag },
      },
    });
    return values;
  } catch (error) {
    throw new Failure(`${error instanceof Error ? error.message : error}\n\n${USAGE}`);
  }
}
