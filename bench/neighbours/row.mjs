// @ts-check
// One row of the table: starts a server, measures the victim alternately without and with the attack, and checks whether the
// server still works afterwards.

import { totalmem } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { interruption } from '../../scripts/processes.mjs';
import { startLoad, startWorker } from '../load-process.mjs';
import { median, OTHERS_SHARE_MAX } from '../measure.mjs';
import { peakDuring, resident } from '../memory.mjs';
import { note, warn } from '../progress.mjs';
import { MIX } from '../scenario-fairness.mjs';
import { startOurs } from '../side-ours.mjs';
import { machineSeconds, usageOf, usageOfDatabase, usageOfServer } from '../usage.mjs';
import { APPLICATION } from '../work.mjs';

/**
 * @typedef {object} Victim
 * @property {string} token
 * @property {import('../application.mjs').Filling} filling
 * @property {number} serial the next unused code
 *
 * @typedef {'512 MB' | 'default'} Heap
 *
 * @typedef {object} Phase
 * @property {import('../load.mjs').Outcome} victim
 * @property {import('./attack.mjs').Tally | undefined} attack
 * @property {number} serverBytes peak
 * @property {number | undefined} databaseBytes
 * @property {Record<'server' | 'database' | 'victim' | 'attacker' | 'others', number | undefined>} shares of a core
 *
 * @typedef {{ readonly quiet: Phase, readonly loud: Phase }} Round
 *
 * @typedef {object} Row
 * @property {string} attack
 * @property {Heap} heap
 * @property {readonly Phase[]} quiet
 * @property {readonly Phase[]} loud
 * @property {number} again how many rounds were measured in the place of disturbed ones
 * @property {number | undefined} idleBytes before the first phase
 * @property {number | undefined} leftBytes after the last phase
 * @property {number} recoverySeconds until the server was idle again, the longest of all phases
 * @property {'yes' | 'hangs' | 'died'} lives
 * @property {string} [problem]
 */

const ATTACKER = new URL('./attacker.mjs', import.meta.url);
/**
 * In life every client has a machine of its own. Here they share the server's, so the attacker gets the processors that nobody
 * else wants, and the victim, which needs few, comes before all others: its own delays would count as the server's.
 */
const NICENESS = { attacker: 19, victim: -5 };
/** The victim's rate: well below the capacity of the server. */
export const VICTIM = { connections: 4, perSecond: 100, records: 10_000 };
const WARM_SECONDS = 1;
const DRAIN_MS = 8_000;
const LEAD_MS = 1_000;
const SAMPLE_MS = 1_000;
/** The server is idle when a request takes no longer than this and it and its database used no more of a core since the last check. */
const REST = { ms: 100, share: 0.2, lookMs: 500, waitMs: 15_000 };
const STOP_MS = 15_000;
/**
 * A round is measured again if other programs, or the host of a virtual machine, took more of a core than this: with a tenth, the p99
 * without any attack was three to eighty times as long as otherwise. At most so many times the rounds are measured.
 */
const DISTURBED_SHARE = 0.1;
const ROUNDS_TIMES = 3;
/**
 * A p99 of some hundred requests is the fourth or so of the slowest, so two runs of a row easily differ by half. A row that grows by
 * more than this is measured this many times as long, and every round of it counts.
 */
const NEAR_GOAL = { growth: 1.5, roundsTimes: 3 };
const HEALTH_MS = 5_000;
/** A server that uses more is killed to protect the machine. */
const BYTES_MAX = Math.min(8 * 2 ** 30, totalmem() / 2);
/** @type {Record<Heap, Record<string, string>>} */
const SETTINGS = { default: {}, '512 MB': { NODE_OPTIONS: '--max-old-space-size=512' } };

/**
 * @param {{ folder: string, operatorKey: string, stock: import('./stock.mjs').Stock, victim: Victim }} ground
 * @param {import('./attack.mjs').Attack} attack
 * @param {{ heap: Heap, rounds: number, seconds: number, logLevel: string, profile?: string | undefined }} how
 * @returns {Promise<Row>}
 */
export async function measureRow({ folder, operatorKey, stock, victim }, attack, how) {
  const { heap, rounds, seconds, logLevel, profile } = how;
  const ours = await startOurs({ folder, operatorKey, logLevel, profile, settings: SETTINGS[heap] });
  const load = startLoad({ niceness: NICENESS.victim, realTime: true });
  /** @type {Stage | undefined} */
  let stage;
  try {
    const { host, port } = new URL(ours.address);
    /** @type {import('./attack.mjs').Field} */
    const field = { host, port: Number(port), token: stock.token, operatorKey, stock, made: [] };
    field.made = (await attack.setUp?.(field)) ?? [];
    stage = { ours, load, attacker: startAttacker(), attack, field, victim };
    await ask(stage, WARM_SECONDS);
    await recovery(ours, victim.token);
    const idleBytes = resident(ours.pid);
    /** @type {Round[]} */
    const measured = [];
    /** @type {Row['lives']} */
    let lives = 'yes';
    let recoverySeconds = 0;
    let wanted = rounds;
    const isEnough = () => measured.filter(isUndisturbed).length >= wanted || measured.length >= ROUNDS_TIMES * wanted;
    while (lives === 'yes') {
      if (isEnough()) {
        if (wanted > rounds || growthOf(countedOf(measured, wanted)) <= NEAR_GOAL.growth) break;
        wanted = NEAR_GOAL.roundsTimes * rounds;
      }
      await attack.restore?.(field, ours.connection);
      const quiet = await phase(stage, seconds, false);
      measured.push({ quiet, loud: await phase(stage, seconds, true) });
      const took = ours.ended() ? 0 : await recovery(ours, victim.token);
      recoverySeconds = Math.max(recoverySeconds, took ?? REST.waitMs / 1000);
      // A server that is still busy would distort the next quiet phase.
      if (took === undefined) lives = 'hangs';
      if (ours.ended()) lives = 'died';
    }
    if (lives === 'yes') await ask(stage, WARM_SECONDS);
    if (lives === 'yes' && !(await isHealthy(ours.address))) lives = ours.ended() ? 'died' : 'hangs';
    const leftBytes = resident(ours.pid);
    // A server that hangs would ignore the signal to stop.
    if (lives === 'hangs') ours.kill();
    const { quiet, loud } = countedOf(measured, wanted);
    const again = measured.length - wanted;
    return { attack: attack.name, heap, quiet, loud, again, idleBytes, leftBytes, recoverySeconds, lives };
  } finally {
    await stage?.attacker.end();
    await load.end();
    await ours.stop();
    ours.trimLog();
  }
}

/** @param {Round} round */
const disturbance = ({ quiet, loud }) => Math.max(quiet.shares.others ?? 0, loud.shares.others ?? 0);

/** @param {Round} round */
const isUndisturbed = (round) => disturbance(round) <= DISTURBED_SHARE;

/**
 * The rounds that count, chosen by what others took and not by their result. One in which the victim was refused counts in any case.
 * @param {readonly Round[]} rounds @param {number} count @returns {Round[]} in the order of measurement
 */
function leastDisturbed(rounds, count) {
  const refused = rounds.filter(({ loud }) => loud.victim.errors > 0);
  const others = rounds.filter((round) => !refused.includes(round)).sort((a, b) => disturbance(a) - disturbance(b));
  const chosen = new Set([...refused, ...others.slice(0, Math.max(0, count - refused.length))]);
  return rounds.filter((round) => chosen.has(round));
}

/** @param {readonly Round[]} measured @param {number} count @returns {Pick<Row, 'quiet' | 'loud'>} */
function countedOf(measured, count) {
  const counted = leastDisturbed(measured, count);
  return { quiet: counted.map((round) => round.quiet), loud: counted.map((round) => round.loud) };
}

/** @param {readonly Phase[]} phases */
const p99Of = (phases) => median(phases.map(({ victim }) => victim.p99)) ?? Number.NaN;

/** What the attack multiplies the victim's p99 by. @param {Pick<Row, 'quiet' | 'loud'>} row */
export const growthOf = ({ quiet, loud }) => p99Of(loud) / p99Of(quiet);

/** @typedef {import('../load-process.mjs').Worker<{ name: string, field: import('./attack.mjs').Field }, import('./attack.mjs').Tally>} Attacker */

/** @returns {Attacker} */
const startAttacker = () => startWorker(ATTACKER, 'the attacker', { niceness: NICENESS.attacker, idle: true });

/**
 * @typedef {object} Stage
 * @property {import('../side-ours.mjs').Ours} ours
 * @property {import('../load-process.mjs').Load} load
 * @property {Attacker} attacker replaced when it does not stop
 * @property {import('./attack.mjs').Attack} attack
 * @property {import('./attack.mjs').Field} field
 * @property {Victim} victim
 */

/** The victim's requests, sent at a fixed rate. @param {Stage} stage @param {number} seconds */
async function ask({ load, field: { host, port }, victim }, seconds) {
  const { total, sample } = victim.filling;
  const outcome = await load.run({
    ...{ operation: MIX, port, seconds, drainMs: DRAIN_MS },
    ...{ connections: VICTIM.connections, perSecond: VICTIM.perSecond },
    target: {
      ...{ host, token: victim.token, application: APPLICATION, collection: 'items', total, sample },
      ...{ serial: victim.serial, spare: [] },
    },
  });
  victim.serial += outcome.sent;
  return outcome;
}

/** @param {Stage} stage @param {number} seconds @param {boolean} isLoud @returns {Promise<Phase>} */
async function phase(stage, seconds, isLoud) {
  const { ours, load, attacker, attack, field } = stage;
  const databasePid = ours.databasePid();
  const look = () => ({
    ...{ server: usageOfServer(ours.pid, databasePid)?.cpuSeconds, database: usageOfDatabase(databasePid)?.cpuSeconds },
    ...{ victim: usageOf(load.pid)?.cpuSeconds, attacker: usageOf(attacker.pid)?.cpuSeconds },
    machine: machineSeconds(),
  });
  let databaseBytes = usageOfDatabase(databasePid)?.bytes;
  let serverBytes = 0;
  /** The last reading, for a server that dies meanwhile. */
  let seen = look();
  const watch = setInterval(() => {
    databaseBytes = Math.max(databaseBytes ?? 0, usageOfDatabase(databasePid)?.bytes ?? 0);
    if (!ours.ended()) seen = look();
    const now = usageOfServer(ours.pid, databasePid)?.bytes ?? 0;
    serverBytes = Math.max(serverBytes, now);
    if (now > BYTES_MAX) {
      warn(`${attack.name}: the server has taken more than ${Math.round(BYTES_MAX / 2 ** 20)} MB and is ended`);
      ours.kill();
    }
  }, SAMPLE_MS);
  /** @type {import('../load.mjs').Outcome | undefined} */
  let victim;
  /** @type {import('./attack.mjs').Tally | undefined} */
  let tally;
  const before = look();
  try {
    const { most, seconds: took } = await peakDuring(ours.pid, async () => {
      const attacking = isLoud ? attacker.run({ name: attack.name, field }) : undefined;
      attacking?.catch(() => {});
      if (isLoud) await wait(attack.leadMs ?? LEAD_MS, undefined, { signal: interruption });
      victim = await ask(stage, seconds);
      if (attacking !== undefined) tally = await stopped(stage, attacking);
      return 0;
    });
    if (victim === undefined) throw new Error('the victim was not measured');
    const after = ours.ended() ? seen : look();
    // The kernel reports the peak of the server itself; sampling includes its child processes.
    serverBytes = Math.max(serverBytes, most ?? 0);
    return { victim, attack: tally, serverBytes, databaseBytes, shares: sharesOf(before, after, took) };
  } finally {
    clearInterval(watch);
  }
}

/**
 * @typedef {Record<'server' | 'database' | 'victim' | 'attacker' | 'machine', number | undefined>} Spent
 * @param {Spent} before @param {Spent} after @param {number} seconds
 */
function sharesOf(before, after, seconds) {
  const share = (/** @type {keyof Spent} */ who) => {
    const [then, now] = [before[who], after[who]];
    return then === undefined || now === undefined ? undefined : Math.max(0, now - then) / seconds;
  };
  const own = {
    server: share('server'),
    database: share('database'),
    victim: share('victim'),
    attacker: share('attacker'),
  };
  const machine = share('machine');
  const sum = Object.values(own).reduce((all, one) => (all ?? 0) + (one ?? 0), 0) ?? 0;
  return { ...own, others: machine === undefined ? undefined : Math.max(0, machine - sum) };
}

/**
 * What the attacker has sent. It has the processor that nobody else wants, so after an attack that keeps the machine busy it may
 * not get to its end: then it is killed, and another takes its place.
 * @param {Stage} stage @param {Promise<import('./attack.mjs').Tally>} attacking
 */
async function stopped(stage, attacking) {
  const { attacker, attack } = stage;
  attacker.stop();
  const patience = new AbortController();
  const late = wait(STOP_MS, undefined, { signal: AbortSignal.any([patience.signal, interruption]) });
  const tally = await Promise.race([attacking, late]).finally(() => patience.abort());
  if (tally !== undefined) return tally;
  warn(`${attack.name}: the attacker did not stop, and is killed`);
  attacker.kill();
  stage.attacker = startAttacker();
  return undefined;
}

/**
 * Seconds until the server is idle, so that an attack does not affect the next quiet phase; undefined when it does not reply
 * in time.
 * @param {import('../side-ours.mjs').Ours} ours
 * @param {string} token
 */
async function recovery(ours, token) {
  const began = performance.now();
  const databasePid = ours.databasePid();
  const spent = () =>
    (usageOfServer(ours.pid, databasePid)?.cpuSeconds ?? 0) + (usageOfDatabase(databasePid)?.cpuSeconds ?? 0);
  for (let before = spent(); ; ) {
    const lookedAt = performance.now();
    await wait(REST.lookMs, undefined, { signal: interruption });
    const share = ((spent() - before) * 1000) / (performance.now() - lookedAt);
    before = spent();
    const isQuick = await answersSoon(ours.address, token);
    const took = performance.now() - began;
    const isLate = took > REST.waitMs;
    if (isQuick && (isLate || share <= REST.share)) return Math.max(0, took - REST.lookMs) / 1000;
    if (isLate) return undefined;
  }
}

/** @param {string} address @param {string} token */
async function answersSoon(address, token) {
  const asked = performance.now();
  const signal = AbortSignal.any([interruption, AbortSignal.timeout(REST.waitMs)]);
  const headers = { authorization: `Bearer ${token}` };
  const isAnswered = await fetch(`${address}/v1/${APPLICATION}`, { headers, signal }).then(
    (response) => response.arrayBuffer().then(() => response.ok),
    () => false,
  );
  interruption.throwIfAborted();
  return isAnswered && performance.now() - asked <= REST.ms;
}

/** @param {string} address */
async function isHealthy(address) {
  const signal = AbortSignal.any([interruption, AbortSignal.timeout(HEALTH_MS)]);
  return fetch(`${address}/healthz`, { signal }).then(
    ({ ok }) => ok,
    () => false,
  );
}

/** @param {Row} row */
export function tell({ attack, heap, quiet, loud, again, lives, problem }) {
  if (problem !== undefined) {
    warn(`${attack}, heap ${heap}: not measured: ${problem}`);
    return;
  }
  const p99 = (/** @type {readonly Phase[]} */ phases) => p99Of(phases).toFixed(1);
  const refused = loud.reduce((sum, { victim }) => sum + victim.errors, 0);
  note(
    `  ${attack}, heap ${heap}: p99 ${p99(quiet)} → ${p99(loud)} ms, ${refused} refused${lives === 'yes' ? '' : `, ${lives.toUpperCase()}`}${again > 0 ? `, ${again} rounds more` : ''}, ${loud.length} count`,
  );
  const others = othersShare({ quiet, loud });
  if (others > OTHERS_SHARE_MAX)
    warn(`${attack}: other programs took ${Math.round(others * 100)} % of a core; do not trust the times`);
}

/** The share of a core that programs outside the benchmark used. @param {Pick<Row, 'quiet' | 'loud'>} row */
export const othersShare = ({ quiet, loud }) => median([...quiet, ...loud].map(({ shares }) => shares.others)) ?? 0;
