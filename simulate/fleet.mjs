// @ts-check
// Databases and which applications they hold, hour by hour: where an application is placed when it is published, and what
// is moved.

import { seeded } from '../torture/random.mjs';
import { GROWN_DAYS, partsOfDay, usersAt } from './population.mjs';

/**
 * @typedef {object} Rule
 * @property {string} name
 * @property {'fewest' | 'quietest'} place where a new application goes: to the database with the fewest, or with the least load
 * @property {boolean} moves
 *
 * @typedef {object} Hour
 * @property {number} hottest load of the database with the most, in parts of its cores
 * @property {number} mean
 *
 * @typedef {{ rule: Rule, hours: Hour[], moved: number, movedBytes: number }} Played
 *
 * @typedef {object} Terms
 * @property {number} databases
 * @property {number} cores
 * @property {number} hours
 * @property {number} coresPerUser that are busy for one user whose whole day falls into one hour
 * @property {number} bytesPerUser
 * @property {number} seed
 */

/** @type {readonly Rule[]} */
export const RULES = [
  { name: 'fewest applications, no moves', place: 'fewest', moves: false },
  { name: 'fewest applications, and moves', place: 'fewest', moves: true },
  { name: 'least load, no moves', place: 'quietest', moves: false },
  { name: 'least load, and moves', place: 'quietest', moves: true },
];

/** A database takes part in one move at a time. */
const MOVED_BYTES_PER_HOUR = 50e6 * 3_600;
/** Copying keeps so much of a core busy at both ends. */
const MOVE_CORES = 0.5;
/** Above so many times the mean a database gives applications away. */
const HOT = 1.15;
/** Of what should be moved; less is not worth the copying. */
const WORTH_PART = 0.1;
/** The load that counts is the highest of the last day, since it repeats. */
const REMEMBERED_HOURS = 24;

/** @param {import('./population.mjs').Population} population @param {Rule} rule @param {Terms} terms @returns {Played} */
export function play(population, rule, terms) {
  const { databases, cores, hours: total } = terms;
  const home = new Int32Array(population.count).fill(-1);
  const held = new Int32Array(databases);
  const random = seeded(terms.seed).part('placement');
  const order = Array.from({ length: population.count }, (_, index) => index).sort(
    (one, other) => (population.born[one] ?? 0) - (population.born[other] ?? 0),
  );
  let next = 0;
  /** What is published until an hour; nobody knows how large it will be. @param {number} hour @param {Float64Array} peaks */
  const place = (hour, peaks) => {
    for (; next < order.length && (population.born[order[next] ?? 0] ?? 0) * 24 <= hour; next++) {
      const index = order[next] ?? 0;
      const at = leastOf(rule.place === 'fewest' ? held : peaks, random.integer(databases));
      home[index] = at;
      held[at] = (held[at] ?? 0) + 1;
      peaks[at] = (peaks[at] ?? 0) + usersAt(population, index, hour) * terms.coresPerUser * TYPICAL_PART;
    }
  };
  const everywhere = Array.from(partsOfDay(0), () => TYPICAL_PART);
  for (let hour = -GROWN_DAYS * 24; hour < 0; hour += 24)
    place(hour, loadsAt(population, home, hour, everywhere, terms));

  /** @type {Move[]} */
  let moves = [];
  /** @type {Played} */
  const played = { rule, hours: [], moved: 0, movedBytes: 0 };
  const recent = Array.from({ length: REMEMBERED_HOURS }, () => new Float64Array(databases));
  const peaks = loadsAt(population, home, 0, everywhere, terms);
  for (let hour = 0; hour < total; hour++) {
    place(hour, peaks);
    const now = loadsAt(population, home, hour, partsOfDay(hour), terms);
    for (const { from, to } of moves) for (const at of [from, to]) now[at] = (now[at] ?? 0) + MOVE_CORES;
    recent[hour % REMEMBERED_HOURS] = now;
    for (let at = 0; at < databases; at++) peaks[at] = Math.max(...recent.map((each) => each[at] ?? 0));
    played.hours.push({ hottest: Math.max(...now) / cores, mean: sum(now) / databases / cores });
    // A day has to be seen first.
    if (!rule.moves || hour < REMEMBERED_HOURS) continue;
    moves = moves.filter((move) => {
      if (move.ends > hour) return true;
      home[move.index] = move.to;
      held[move.from] = (held[move.from] ?? 0) - 1;
      held[move.to] = (held[move.to] ?? 0) + 1;
      return false;
    });
    for (const move of chosenMoves({ peaks, recent, home, moves }, { population, hour, terms })) {
      moves.push(move);
      played.moved += 1;
      played.movedBytes += move.bytes;
    }
  }
  return played;
}

/** A working day has about so much of it in its busiest hour. */
export const TYPICAL_PART = 0.1;

/** @typedef {{ index: number, from: number, to: number, ends: number, bytes: number }} Move */

/** Ties go to the first from a place that chance decides. @param {ArrayLike<number>} values @param {number} start */
function leastOf(values, start) {
  let best = start;
  for (let step = 1; step < values.length; step++) {
    const at = (start + step) % values.length;
    if ((values[at] ?? 0) < (values[best] ?? 0)) best = at;
  }
  return best;
}

/** @param {Float64Array} values */
const sum = (values) => values.reduce((all, value) => all + value, 0);

/** @param {import('./population.mjs').Population} population @param {Int32Array} home @param {number} hour @param {readonly number[]} parts @param {Terms} terms */
function loadsAt(population, home, hour, parts, { databases, coresPerUser }) {
  const now = new Float64Array(databases);
  for (let index = 0; index < population.count; index++) {
    const at = home[index] ?? -1;
    if (at < 0) continue;
    const part = parts[population.zone[index] ?? 0] ?? 0;
    now[at] = (now[at] ?? 0) + usersAt(population, index, hour) * coresPerUser * part;
  }
  return now;
}

/**
 * From the hottest databases to the coolest: the application that comes closest to half of the difference, without making
 * the other the hottest.
 * @param {{ peaks: Float64Array, recent: readonly Float64Array[], home: Int32Array, moves: readonly Move[] }} state
 * @param {{ population: import('./population.mjs').Population, hour: number, terms: Terms }} at
 * @returns {Move[]}
 */
function chosenMoves({ peaks, recent, home, moves }, { population, hour, terms }) {
  const busy = new Set(moves.flatMap(({ from, to }) => [from, to]));
  const order = Array.from(peaks, (_, at) => at)
    .filter((at) => !busy.has(at))
    .sort((one, other) => (peaks[other] ?? 0) - (peaks[one] ?? 0));
  const mean = sum(peaks) / peaks.length;
  /** @type {Move[]} */
  const chosen = [];
  while (order.length > 1) {
    const from = order.shift() ?? 0;
    const to = order.pop() ?? 0;
    if ((peaks[from] ?? 0) < mean * HOT) break;
    const wanted = ((peaks[from] ?? 0) - (peaks[to] ?? 0)) / 2;
    // At the hour in which the database is hottest: an application that sleeps then does not relieve it.
    const parts = partsOfDay(recent.findIndex((each) => each[from] === peaks[from]));
    let [best, bestLoad] = [-1, 0];
    for (let index = 0; index < population.count; index++) {
      if (home[index] !== from) continue;
      const part = parts[population.zone[index] ?? 0] ?? 0;
      const load = usersAt(population, index, hour) * terms.coresPerUser * part;
      if (load <= wanted && load > bestLoad) [best, bestLoad] = [index, load];
    }
    if (best === -1 || bestLoad < wanted * WORTH_PART) continue;
    const bytes = usersAt(population, best, hour) * terms.bytesPerUser;
    chosen.push({ index: best, from, to, bytes, ends: hour + Math.max(1, Math.ceil(bytes / MOVED_BYTES_PER_HOUR)) });
  }
  return chosen;
}
