// @ts-check
// What a number of users needs: requests in the busiest hour, cores of servers and databases, and disks.

import { BUSIEST_PART } from './population.mjs';

/** Beyond this, replies wait: requests do not come evenly. */
export const BUSY_MAX = 0.6;
/** The catalogue of PostgreSQL and what each connection keeps of it grow with the tables. */
export const APPLICATIONS_MAX = 10_000;

/** @typedef {{ users: number, applications: number, perSecond: number, serverCores: number, databases: Record<Limit, number>, disk: number }} Need */
/** @typedef {'processor' | 'disk' | 'applications'} Limit */

/**
 * @param {{ users: number, applications: number }} of
 * @param {{ requests: number, records: number, cores: number, disk: number }} options
 * @param {{ cost: import('./costs.mjs').Cost, recordBytes: number }} measured
 * @returns {Need}
 */
export function needOf({ users, applications }, { requests, records, cores, disk }, { cost, recordBytes }) {
  const perSecond = (users * requests * BUSIEST_PART) / 3_600;
  const bytes = users * records * recordBytes;
  return {
    users,
    applications,
    perSecond,
    serverCores: (perSecond * cost.server) / 1e6 / BUSY_MAX,
    databases: {
      processor: Math.ceil((perSecond * cost.database) / 1e6 / BUSY_MAX / cores),
      disk: Math.ceil(bytes / (disk * 1e9)),
      applications: Math.ceil(applications / APPLICATIONS_MAX),
    },
    disk: bytes,
  };
}

/** Databases, and what decides their number. @param {Need} need @returns {[Limit, number]} */
export function limitOf({ databases }) {
  const [first = ['processor', 1], ...others] = /** @type {[Limit, number][]} */ (Object.entries(databases));
  return others.reduce((most, each) => (each[1] > most[1] ? each : most), /** @type {[Limit, number]} */ (first));
}
