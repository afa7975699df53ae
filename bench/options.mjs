// @ts-check
// The command line of the bench.

import { parseArgs } from 'node:util';
import { Failure } from '../scripts/processes.mjs';

/**
 * @typedef {object} Options
 * @property {string} scenario
 * @property {number} records
 * @property {number} rounds
 * @property {number} seconds
 * @property {number} connections
 * @property {number} applications
 * @property {readonly string[]} only
 * @property {string | undefined} keep
 * @property {string | undefined} json
 * @property {string} logLevel
 * @property {string | undefined} profile
 * @property {readonly string[]} args as they were given
 * @property {string | undefined} against revision
 * @property {string | undefined} againstNode
 * @property {number | undefined} workers
 * @property {number | undefined} againstWorkers
 * @property {string | undefined} heap
 * @property {boolean} write
 * @property {boolean} quick
 */

export const USAGE = `Usage: npm run bench -- SCENARIO [options]

Scenarios
  limit        ours against the bare limit: every operation, at 1 connection and at many
  profile OPERATION  a processor profile of the server during one operation, and the database's statistics
  road         what each stage of a get and of a create costs the server
  growth       ours with N records against ours with 10 N, at 1 connection
  publish      a column becomes sortable, searchable, unique while a reader and a writer go on
  backup       a backup of all records and its restoration, and the server's memory
  import       a CSV file imported against batches of 100 sent by hand, and the importer's memory
  attachments  files: memory on disk and on S3, and speed against the bare limit; fails beyond the bound of memory
  peers        ours, the bare limit and other products, which are installed for it
  activity-log the export of a million entries while others write; fails beyond its bounds of memory and time
  applications many applications on one server: requests to all of them against requests to ten, publishing, a start
  compression  bytes and processor time of pages in each encoding, and of each level
  cluster      plain PostgreSQL against a Citus cluster, through the coordinator and straight to the workers;
               CARTULARY_TEST_DATABASE_URL names a database of the coordinator
  cluster-losses  nodes of a Citus cluster are killed, hung and restarted under load: what the applications of the
               others notice, and whether anything is lost; CARTULARY_TEST_DATABASE_URL as for cluster
  fairness     one application sends ten times its share beside another; fails when the other's p99 more than doubles
  neighbours   one application does its worst beside another, attack by attack; fails when the other's p99 more than
               doubles, when it is refused, or when the server dies
  console      the console's grid in a browser: bytes, times and memory; fails beyond its bounds
  screenshots  pictures of the console's pages in both themes and languages, on a desk and on a phone

Options
  --records N        records of the collection (default 100000; console: 1000000; cluster: 10000)
  --rounds N         rounds, of which the median counts (default 3)
  --seconds N        length of a measurement (default 3; neighbours: 5)
  --connections N    the many connections (default 32)
  --applications N   applications: how many are published (default 1000)
  --only A,B         only these operations, separated by commas (publish: sortable,searchable,unique; attachments:
                     memory,throughput; neighbours: names of attacks; screenshots: names of pages)
  --against REV      limit: the server of another commit as the other side, in the place of the bare limit
  --against-node P   limit: the other side is run by the Node executable P
  --workers N        processes of the server (limit: of both sides)
  --against-workers N  limit: the other side has N processes
  --heap SIZE        neighbours: default, 512 (MB) or both, for every attack; otherwise 512 only for those that take memory
  --quick            peers: fewer records, one short round, and only what installs within a minute
  --write            neighbours: put the table into docs/neighbours.md; limit, growth, peers, applications: into
                     docs/performance.md; cluster, cluster-losses: docs/scaling.md; console: docs/console.md; screenshots: the
                     chosen pictures into docs/console
  --keep FOLDER      keep the database there, and use it again the next time
  --json FILE        write the results there too
  --log-level LEVEL  of the server that is measured (default info, which is the server's own default)
  --profile FOLDER   write a processor profile of the server's whole life there (slows it down a little); profile and road:
                     the folder for what they write (profile makes one where none is named)
  --list             list the operations, by scenario`;

const HEAPS = ['default', '512', 'both'];
/** Of a measurement, where none is given. */
const SECONDS = 3;
/** The victim of the neighbours sends 100 requests a second: its p99 is the fifth slowest of 500, and was too rough as the third of 300. */
const NEIGHBOURS_SECONDS = 5;
/** Of a collection, where none are given and 100,000 are too few or too many. */
const RECORDS = new Map([
  ['console', 1_000_000],
  ['cluster', 10_000],
]);
const QUICK = { records: 5_000, rounds: 1, seconds: 0.5 };
const BOUNDS = {
  records: 10_000_000,
  rounds: 99,
  seconds: 600,
  connections: 1_000,
  applications: 10_000,
  workers: 64,
  'against-workers': 64,
};

/**
 * @param {readonly string[]} args
 * @param {{ scenarios: readonly string[], operations: Readonly<Record<string, readonly string[]>> }} known operations by
 *   the scenarios that take them
 * @returns {Options | undefined} nothing when only help was wanted
 */
export function readOptions(args, { scenarios, operations }) {
  const { values, positionals } = parse(args);
  if (values.list) {
    const groups = Object.entries(operations).map(([takers, names]) => `${takers}\n  ${names.join('\n  ')}\n`);
    process.stdout.write(groups.join('\n'));
    return undefined;
  }
  if (values.help) {
    process.stdout.write(`${USAGE}\n`);
    return undefined;
  }
  const [scenario = '', ...rest] = positionals;
  const [named] = scenario === 'profile' && rest.length > 0 ? [rest.splice(0).join(' ')] : [];
  if (scenario === '') throw new Failure(USAGE);
  if (!scenarios.includes(scenario))
    throw new Failure(`There is no scenario ${scenario}; there are ${scenarios.join(', ')}.`);
  if (rest.length > 0)
    throw new Failure(`${scenario} takes no ${rest.join(' ')}; npm run bench -- --help shows what there is.`);
  const only = (named ?? values.only ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean);
  const opponents = /** @type {const} */ (['against', 'against-node', 'against-workers']);
  const opponent = opponents.find((name) => values[name] !== undefined);
  if (opponent !== undefined && scenario !== 'limit') throw new Failure(`--${opponent} goes with limit alone.`);
  const [, own = []] = Object.entries(operations).find(([takers]) => takers.split(', ').includes(scenario)) ?? [];
  if (only.length > 0 && own.length === 0) throw new Failure(`${scenario} has no operations to choose from.`);
  const unknown = only.find((name) => !own.includes(name));
  if (unknown !== undefined) throw new Failure(`${scenario} has no operation ${unknown}; --list lists them.`);
  /** @param {keyof typeof BOUNDS} name */
  const optional = (name) => {
    if (values[name] === undefined) return undefined;
    const value = Number(values[name]);
    const whole = name === 'seconds' || Number.isInteger(value);
    if (!whole || !(value > 0) || value > BOUNDS[name])
      throw new Failure(`--${name} takes a number above 0, up to ${BOUNDS[name]}.`);
    return value;
  };
  /** @param {keyof typeof BOUNDS} name @param {number} fallback */
  const number = (name, fallback) => optional(name) ?? fallback;
  const quick = values.quick ?? false;
  if (quick && scenario !== 'peers') throw new Failure('--quick goes with peers alone.');
  return {
    scenario,
    args,
    records: number('records', quick ? QUICK.records : (RECORDS.get(scenario) ?? 100_000)),
    rounds: number('rounds', quick ? QUICK.rounds : 3),
    seconds: number('seconds', quick ? QUICK.seconds : scenario === 'neighbours' ? NEIGHBOURS_SECONDS : SECONDS),
    connections: number('connections', 32),
    applications: number('applications', 1_000),
    only,
    keep: values.keep,
    json: values.json,
    logLevel: values['log-level'] ?? 'info',
    profile: values.profile,
    against: values.against,
    againstNode: values['against-node'],
    workers: optional('workers'),
    againstWorkers: optional('against-workers'),
    heap: heapOf(values.heap),
    write: values.write ?? false,
    quick,
  };
}

/** @param {string | undefined} heap */
function heapOf(heap) {
  if (heap !== undefined && !HEAPS.includes(heap)) throw new Failure(`--heap takes one of ${HEAPS.join(', ')}.`);
  return heap;
}

/** @param {readonly string[]} args */
function parse(args) {
  try {
    const text = /** @type {const} */ ({ type: 'string' });
    const flag = /** @type {const} */ ({ type: 'boolean' });
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        ...{
          records: text,
          rounds: text,
          seconds: text,
          connections: text,
          applications: text,
          only: text,
          keep: text,
          json: text,
        },
        ...{ against: text, 'against-node': text, workers: text, 'against-workers': text },
        ...{ 'log-level': text, profile: text, heap: text, write: flag, quick: flag, list: flag, help: flag },
      },
    });
  } catch (error) {
    throw new Failure(`${error instanceof Error ? error.message : error}\n\n${USAGE}`);
  }
}
