// @ts-check
// The command line of the fuzzer.

import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { Failure } from '../../scripts/processes.mjs';

export const USAGE = `Usage: npm run torture -- fuzz [options]

Sends generated inputs to every operation of a server of its own, and to its HTTP layer. Fails when a reply is a 5xx, is
missing or has another shape than promised, when the server logs a failure or ends, or when its memory or its open
files grow.

Options
  --inputs N       how many (default 100000)
  --seed N         of the inputs (default: a new one, which is printed)
  --only N         only input N of the seed
  --connections N  at once (default 4)
  --heap MB        of the server (default: Node's own)
  --write          put the result into docs/reliability.md
  --help`;

const BOUNDS = { inputs: 10_000_000, seed: 2 ** 31 - 1, only: 10_000_000, connections: 64, heap: 65_536 };

/** @typedef {{ inputs: number, seed: number, only: number | undefined, connections: number, heap: number | undefined, write: boolean }} Options */

/** @param {readonly string[]} args @returns {Options | undefined} nothing when only help was wanted */
export function readOptions(args) {
  const { values, positionals } = parse(args);
  if (values.help) {
    process.stdout.write(`${USAGE}\n`);
    return undefined;
  }
  if (positionals.length > 0) throw new Failure(USAGE);
  /** @param {keyof typeof BOUNDS} name */
  const number = (name) => {
    const text = values[name];
    if (text === undefined) return undefined;
    if (!/^\d+$/.test(text) || Number(text) > BOUNDS[name])
      throw new Failure(`--${name} takes a whole number up to ${BOUNDS[name]}.`);
    return Number(text);
  };
  return {
    inputs: number('inputs') ?? 100_000,
    seed: number('seed') ?? randomInt(BOUNDS.seed),
    only: number('only'),
    connections: number('connections') || 4,
    heap: number('heap'),
    write: values.write ?? false,
  };
}

/** @param {readonly string[]} args */
function parse(args) {
  const text = /** @type {const} */ ({ type: 'string' });
  const flag = /** @type {const} */ ({ type: 'boolean' });
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { inputs: text, seed: text, only: text, connections: text, heap: text, write: flag, help: flag },
    });
  } catch (error) {
    throw new Failure(`${error instanceof Error ? error.message : error}\n\n${USAGE}`);
  }
}
