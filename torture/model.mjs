// @ts-check
// What must be there: every change that a client was told of, and those that it was not told of as possibilities. A record
// belongs to one client, which stops changing it after a request without a reply: such a request may be done later.

import { createHash } from 'node:crypto';

/**
 * @typedef {Record<string, { type: string, value?: string | number, id?: string }>} Values by column ID
 *
 * @typedef {{ done: number, maybe: number }} Times how often something was done, and how often besides it may have been
 *
 * @typedef {object} Track one record
 * @property {string} marker its code or key, which no other record has
 * @property {string} collection
 * @property {string | undefined} id unknown until a reply names it
 * @property {(Values | null)[]} states what it may be now; null: no record
 * @property {boolean} settled whether its owner knows its state
 * @property {any} reply the last that its owner was told of it
 * @property {{ create: Times, update: Times, delete: Times }} changes
 *
 * @typedef {object} FileTrack one attachment
 * @property {string} name
 * @property {number} size
 * @property {string | undefined} id
 * @property {boolean} done
 *
 * @typedef {object} UserTrack
 * @property {string} name
 * @property {string | undefined} id
 * @property {(string | null)[]} emails it may have; null: no user
 * @property {boolean} settled
 *
 * @typedef {object} Claim of a unique value, which many clients want
 * @property {string[]} winners IDs of the records that were acknowledged
 * @property {number} maybe
 * @property {number} refused
 *
 * @typedef {object} Model
 * @property {Map<string, Track>} records by marker
 * @property {Map<string, FileTrack>} files by name
 * @property {Map<string, UserTrack>} users by name
 * @property {Map<string, Claim>} claims by value
 * @property {Map<string, boolean>} shifting codes of records whose columns change, and whether they were acknowledged
 * @property {Map<number, string>} published names of the application by the version that was acknowledged
 * @property {Map<string, import('./linearizability.mjs').Step[]>} registers histories by register
 * @property {{ collection: string, markers: string[], applied: 'created' | 'updated' }[]} batches without a reply, of which any beginning may be applied
 */

/** @returns {Model} */
export const newModel = () => ({
  records: new Map(),
  files: new Map(),
  users: new Map(),
  claims: new Map(),
  shifting: new Map(),
  published: new Map(),
  registers: new Map(),
  batches: [],
});

const never = () => ({ done: 0, maybe: 0 });

/** @param {Model} model @param {string} collection @param {string} marker @returns {Track} */
export function addTrack(model, collection, marker) {
  const changes = { create: never(), update: never(), delete: never() };
  /** @type {Track} */
  const track = {
    ...{ marker, collection, id: undefined, reply: undefined },
    ...{ states: [null], settled: true, changes },
  };
  model.records.set(marker, track);
  return track;
}

/** What its owner knows. @param {Track} track @returns {Values | null} */
export const stateOf = (track) => track.states[0] ?? null;

/** The owner was told. @param {Track} track @param {'create' | 'update' | 'delete'} change @param {Values | null} next */
export function note(track, change, next) {
  track.changes[change].done += 1;
  track.states = [next];
}

/** The owner was not told: it may be so, and the record is left alone. @param {Track} track @param {'create' | 'update' | 'delete'} change @param {Values | null} next */
export function noteMaybe(track, change, next) {
  track.changes[change].maybe += 1;
  track.states = [...track.states, next];
  track.settled = false;
}

/** @param {Values} expected @param {Record<string, any>} found @returns {boolean} */
export function sameValues(expected, found) {
  const columns = Object.keys(expected);
  return (
    columns.length === Object.keys(found).length &&
    columns.every((column) =>
      Object.entries(expected[column] ?? {}).every(([member, value]) => found[column]?.[member] === value),
    )
  );
}

/** Whether a record may be as it was found. @param {Track} track @param {Record<string, any> | null} found */
export const mayBe = ({ states }, found) =>
  states.some((state) => (state === null ? found === null : found !== null && sameValues(state, found)));

/** The content of the file of that name: anyone can say what it must be. @param {string} name @param {number} size */
export function contentOf(name, size) {
  const bytes = Buffer.alloc(size);
  const block = Buffer.concat(
    Array.from({ length: 32 }, (_, part) => createHash('sha256').update(`${name} ${part}`).digest()),
  );
  for (let at = 0, turn = 0; at < size; at += block.length, turn++) {
    block.writeUInt32LE(turn);
    block.copy(bytes, at, 0, Math.min(block.length, size - at));
  }
  return bytes;
}
