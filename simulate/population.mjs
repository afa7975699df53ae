// @ts-check
// The applications: a few are very large and most are small, they grow, some of them suddenly, and their users sleep at
// different hours.

import { seeded } from '../torture/random.mjs';

/**
 * Columns instead of objects: there are hundreds of thousands, looked at for every hour.
 * @typedef {object} Population
 * @property {number} count
 * @property {number} days
 * @property {Float64Array} users on the last day, of those that do not suddenly become popular
 * @property {Float64Array} born day on which it is published; before the first for those that are there from the start
 * @property {Float64Array} sudden day on which it becomes popular; none where it is not a number
 * @property {Uint8Array} zone
 */

/** Close to 1: the largest hundredth has about half of all users. */
const EXPONENT = 1.1;
/** Of the applications, those that are published during the days that are played. */
const NEW_PART = 0.3;
const SUDDEN_PART = 0.02;
/** A popular application has so many times the users after so many days. */
const SUDDEN_TIMES = 8;
const SUDDEN_DAYS = 4;
/** An application reaches its users within a year of its publishing. */
export const GROWN_DAYS = 365;
/** Hours that clocks are apart, with the part of the applications. */
const ZONES = [
  { hours: 0, part: 0.5 },
  { hours: 8, part: 0.3 },
  { hours: 16, part: 0.2 },
];
const WEEKEND = 0.2;
const DAY_HOURS = 24;

/** @param {Pick<import('./options.mjs').Options, 'users' | 'applications' | 'largest' | 'days' | 'seed'>} options @returns {Population} */
export function populationOf({ users, applications: count, largest, days, seed }) {
  const random = seeded(seed).part('population');
  const population = {
    ...{ count, days },
    users: new Float64Array(count),
    born: new Float64Array(count),
    sudden: new Float64Array(count).fill(Number.NaN),
    zone: new Uint8Array(count),
  };
  for (let index = 0; index < count; index++) {
    population.users[index] = (1 - random.unit()) ** (-1 / EXPONENT);
    population.born[index] = random.chance(NEW_PART) ? random.unit() * days : -random.unit() * GROWN_DAYS;
    if (random.chance(SUDDEN_PART)) population.sudden[index] = random.unit() * days;
    population.zone[index] = zoneAt(random.unit());
  }
  scale(population.users, users, largest);
  return population;
}

/** @param {number} unit */
function zoneAt(unit) {
  let left = unit;
  const index = ZONES.findIndex(({ part }) => {
    left -= part;
    return left < 0;
  });
  return Math.max(0, index);
}

/** To this sum, with no value above the largest. @param {Float64Array} values @param {number} sum @param {number} largest */
function scale(values, sum, largest) {
  if (sum > values.length * largest) throw new Error('the applications cannot hold so many users');
  // What is cut off the largest goes to the others, which may then be among the largest.
  for (let round = 0; round < 50; round++) {
    const total = values.reduce((all, value) => all + value, 0);
    if (Math.abs(total - sum) < sum / 1_000) return;
    for (let index = 0; index < values.length; index++) {
      values[index] = Math.min(largest, ((values[index] ?? 0) * sum) / total);
    }
  }
}

/** A new application has few users. @param {number} age in days */
const grownAt = (age) => Math.min(1, 0.05 + age / GROWN_DAYS);

/** Users of an application at an hour since the beginning. @param {Population} population @param {number} index @param {number} hour */
export function usersAt({ users, born, sudden, days }, index, hour) {
  const day = hour / DAY_HOURS;
  const age = day - (born[index] ?? 0);
  if (age < 0) return 0;
  const grown = ((users[index] ?? 0) * grownAt(age)) / grownAt(days - (born[index] ?? 0));
  const popular = day - (sudden[index] ?? Number.NaN);
  if (!(popular > 0)) return grown;
  return grown * (1 + (SUDDEN_TIMES - 1) * Math.min(1, popular / SUDDEN_DAYS));
}

/** The part of a working day's requests that fall into an hour, by zone. @param {number} hour @returns {number[]} */
export function partsOfDay(hour) {
  const day = Math.floor(hour / DAY_HOURS) % 7;
  return ZONES.map(({ hours }) => {
    const clock = (hour + hours) % DAY_HOURS;
    return (WORKING[clock] ?? 0) * (day >= 5 ? WEEKEND : 1);
  });
}

/** From six to ten at night, most at two in the afternoon; a little in between. */
const WORKING = (() => {
  const weights = Array.from(
    { length: DAY_HOURS },
    (_, hour) => 0.05 + Math.max(0, Math.sin((Math.PI * (hour - 6)) / 16)),
  );
  const sum = weights.reduce((all, weight) => all + weight, 0);
  return weights.map((weight) => weight / sum);
})();

/** The busiest hour of all. */
export const BUSIEST_PART = Math.max(
  ...Array.from({ length: DAY_HOURS }, (_, hour) =>
    partsOfDay(hour).reduce((sum, part, zone) => sum + part * (ZONES[zone]?.part ?? 0), 0),
  ),
);
