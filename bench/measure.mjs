// @ts-check
// One operation, several sides: each side is asked once to see whether it can, then rounds in which the sides take turns,
// in turned order each time, so that what the machine does besides falls on all of them. What is told of a side is the
// median of its rounds.

import { interruption } from '../scripts/processes.mjs';
import { useCodes } from './codes.mjs';
import { note, warn } from './progress.mjs';
import { machineSeconds, usageOf, usageOfDatabase, usageOfServer } from './usage.mjs';

/**
 * @typedef {object} Result of one side
 * @property {string} operation
 * @property {number} connections
 * @property {string} side
 * @property {number} perSecond
 * @property {number} p50
 * @property {number} p99
 * @property {number} longest the longest of all rounds
 * @property {number} errors of all rounds
 * @property {number | undefined} serverMicros processor time of the server for one request
 * @property {number | undefined} databaseMicros
 * @property {number | undefined} serverBytes the most that was seen
 * @property {number | undefined} databaseBytes
 * @property {number | undefined} generatorShare of a core that the load generator used
 * @property {number | undefined} othersShare of a core that everything else on the machine used
 *
 * @typedef {object} Course
 * @property {import('./load-process.mjs').Load} load
 * @property {readonly import('./side.mjs').Side[]} sides
 * @property {number} [drainMs] to wait for the last replies, where sides are slow
 * @property {number} [warmSeconds] of the warm-up, where it has to be short
 * @property {number} [warmConnections] of the warm-up, where they are more than those that are measured
 * @property {number} rounds
 * @property {number} seconds
 */

/**
 * Before the first round of each side: code gets compiled, statements prepared, pages read. Again while it has answered few:
 * on a slow machine one second was too short for the code of a get to be compiled (server µs: 680 instead of 150).
 */
const WARM = { seconds: 1, requests: 3_000, timesMax: 3 };
/** Of a core; beyond it the load generator may be what is measured. */
const GENERATOR_SHARE_MAX = 0.9;
/** Of a core; beyond it the machine is too busy with other things for times to mean much. */
export const OTHERS_SHARE_MAX = 0.25;
const SAMPLE_MS = 200;
/** @param {readonly (number | undefined)[]} values */
export function median(values) {
  const sorted = values.filter((value) => value !== undefined).sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  if (sorted.length === 0) return undefined;
  return sorted.length % 2 === 1 ? sorted[middle] : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2;
}

/**
 * @param {Course} course
 * @param {import('./operations.mjs').Operation} operation
 * @param {number} connections
 * @returns {Promise<Result[]>} one for each side; none when a side cannot do it
 */
export async function measure(course, operation, connections) {
  const { rounds, seconds, sides } = course;
  /** @type {Map<string, Round[]>} */
  const all = new Map(sides.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const side of round % 2 === 0 ? sides : [...sides].reverse()) {
      if (round === 0) await warmUp(course, operation, { side, connections });
      const outcome = await runOnce(course, operation, { side, connections, seconds });
      all.get(side.name)?.push(outcome);
      if (outcome.errors > 0) {
        warn(`${operation.name}, ${side.name}: ${outcome.errors} ERRORS, such as ${outcome.examples.join(' | ')}`);
      }
    }
  }
  const results = sides.map(({ name }) => summarise(operation, connections, name, all.get(name) ?? []));
  for (const { side, generatorShare = 0, othersShare = 0 } of results) {
    const tell = (/** @type {string} */ who, /** @type {number} */ share) =>
      warn(`${operation.name}, ${side}: ${who} took ${Math.round(share * 100)} % of a core; do not trust the times`);
    if (generatorShare > GENERATOR_SHARE_MAX) tell('the load generator', generatorShare);
    if (othersShare > OTHERS_SHARE_MAX) tell('other programs', othersShare);
  }
  const told = results.map(
    ({ side, perSecond, p50 }) => `${side} ${Math.round(perSecond)}/s (p50 ${p50.toFixed(2)} ms)`,
  );
  note(`  ${operation.name}, ${connections} connection${connections === 1 ? '' : 's'}: ${told.join(', ')}`);
  return results;
}

/** @param {Course} course @param {import('./operations.mjs').Operation} operation @param {{ side: import('./side.mjs').Side, connections: number }} who */
async function warmUp(course, operation, { side, connections }) {
  // One connection alone sends too little for the code to be compiled.
  const warm = {
    side,
    connections: course.warmConnections ?? connections,
    seconds: course.warmSeconds ?? WARM.seconds,
  };
  const timesMax = course.rounds === 1 ? 1 : WARM.timesMax;
  for (let [times, answered] = [0, 0]; times < timesMax && answered < WARM.requests; times++) {
    answered += (await runOnce(course, operation, warm)).requests;
  }
}

/**
 * @typedef {import('./load.mjs').Outcome & { server: import('./usage.mjs').Usage | undefined, database: import('./usage.mjs').Usage | undefined, generator: import('./usage.mjs').Usage | undefined, others: number | undefined }} Round
 */

/**
 * @param {Pick<Course, 'load' | 'drainMs'>} course
 * @param {import('./operations.mjs').Operation} operation
 * @param {{ side: import('./side.mjs').Side, connections: number, seconds: number, begin?: () => Promise<void>, end?: () => Promise<void> }} options `begin` and
 *   `end` directly before and after the requests
 * @returns {Promise<Round>}
 */
export async function runOnce(course, operation, { side, connections, seconds, begin, end }) {
  interruption.throwIfAborted();
  const { load, drainMs } = course;
  const target = await side.prepare(operation, { connections, seconds });
  const databasePid = side.databasePid();
  const used = () => [usageOfServer(side.pid, databasePid), usageOfDatabase(databasePid), usageOf(load.pid)];
  await begin?.();
  const before = used();
  const machineBefore = machineSeconds();
  const most = [0, 0, 0];
  const watch = setInterval(() => {
    used().forEach((usage, i) => {
      most[i] = Math.max(most[i] ?? 0, usage?.bytes ?? 0);
    });
  }, SAMPLE_MS);
  const port = Number(new URL(side.address).port);
  const outcome = await load
    .run({ operation: operation.name, port, target, connections, seconds, ...(drainMs ? { drainMs } : {}) })
    .finally(() => clearInterval(watch));
  useCodes(outcome.sent * (operation.codes ?? 0));
  const machineAfter = machineSeconds();
  const after = used();
  await end?.();
  const [server, database, generator] = [0, 1, 2].map((i) => {
    const [then, now] = [before[i], after[i]];
    if (then === undefined || now === undefined) return undefined;
    return { cpuSeconds: now.cpuSeconds - then.cpuSeconds, bytes: Math.max(most[i] ?? 0, now.bytes) };
  });
  const spent = [server, database, generator].reduce((sum, usage) => sum + (usage?.cpuSeconds ?? 0), 0);
  const [then, now] = [machineBefore, machineAfter];
  const isKnown = then !== undefined && now !== undefined && server !== undefined && !side.hasDatabaseElsewhere;
  const others = isKnown ? now - then - spent : undefined;
  return { ...outcome, server, database, generator, others };
}

/**
 * @param {import('./operations.mjs').Operation} operation
 * @param {number} connections
 * @param {string} side
 * @param {readonly Round[]} rounds
 * @returns {Result}
 */
function summarise(operation, connections, side, rounds) {
  /** @param {(round: Round) => number | undefined} value */
  const middle = (value) => median(rounds.map(value));
  /** @param {'server' | 'database'} which */
  const micros = (which) =>
    middle((round) => {
      const used = round[which]?.cpuSeconds;
      return used === undefined || round.requests === 0 ? undefined : (used * 1e6) / round.requests;
    });
  /** @param {'server' | 'database'} which */
  const bytes = (which) => {
    const seen = rounds.map((round) => round[which]?.bytes).filter((value) => value !== undefined);
    return seen.length === 0 ? undefined : Math.max(...seen);
  };
  return {
    operation: operation.name,
    connections,
    side,
    perSecond: middle((round) => (round.seconds > 0 ? round.requests / round.seconds : 0)) ?? 0,
    p50: middle((round) => round.p50) ?? 0,
    p99: middle((round) => round.p99) ?? 0,
    longest: Math.max(0, ...rounds.map((round) => round.longest)),
    errors: rounds.reduce((sum, round) => sum + round.errors, 0),
    serverMicros: micros('server'),
    databaseMicros: micros('database'),
    serverBytes: bytes('server'),
    databaseBytes: bytes('database'),
    othersShare: middle(({ others, seconds }) =>
      others !== undefined && seconds > 0 ? Math.max(0, others / seconds) : undefined,
    ),
    generatorShare: middle(({ generator, seconds }) =>
      generator && seconds > 0 ? generator.cpuSeconds / seconds : undefined,
    ),
  };
}
