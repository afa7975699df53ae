// @ts-check
// What the clients of a soak know to be there: records that none of them is changing at the moment, records of which a
// request without a reply has left the state open, and files that wait for a record.

import { addTrack, newModel } from '../model.mjs';
import { THINGS } from '../scene.mjs';

/**
 * @typedef {import('../model.mjs').Track} Track
 *
 * @typedef {object} StoredFile
 * @property {string} id
 * @property {string} name
 * @property {number} size
 *
 * @typedef {object} Doubt
 * @property {Track} track
 * @property {number} since
 */

/** Longer than a request can be under way at a server: what it may do is done by then, or never will be. */
const DECIDED_MS = 30_000;
const FILE_TRIES = 8;

export class Stock {
  model = newModel();
  /** Markers of records whose deletion was acknowledged. @type {Set<string>} */
  gone = new Set();
  /** By their IDs; those of deleted records go with them. @type {Map<string, StoredFile>} */
  files = new Map();
  /** @type {StoredFile[]} */
  loose = [];
  /** @type {Track[]} */
  #live = [];
  /** Those that a request is changing. @type {Set<Track>} */
  #taken = new Set();
  /** The oldest first. @type {Doubt[]} */
  #doubts = [];
  #random;
  #made = 0;

  /** @param {import('../random.mjs').Random} random */
  constructor(random) {
    this.#random = random;
  }

  get records() {
    return this.#live.length;
  }

  marker() {
    this.#made += 1;
    return `s${this.#made}`;
  }

  add() {
    return addTrack(this.model, THINGS, this.marker());
  }

  /** To read it. @returns {Track | undefined} */
  any() {
    return this.#live.length === 0 ? undefined : this.#random.pick(this.#live);
  }

  /** One that holds a file. @param {(track: Track) => string | undefined} fileOf */
  anyWithFile(fileOf) {
    for (let tries = 0; tries < FILE_TRIES; tries++) {
      const track = this.any();
      const file = track && this.files.get(fileOf(track) ?? '');
      if (track !== undefined && file !== undefined) return { track, file };
    }
    return undefined;
  }

  /** To change it: no other request changes it meanwhile. @returns {Track | undefined} */
  take() {
    const at = this.#random.integer(this.#live.length);
    const [track, last] = [this.#live[at], this.#live.pop()];
    if (track !== undefined && last !== undefined && at < this.#live.length) this.#live[at] = last;
    if (track !== undefined) this.#taken.add(track);
    return track;
  }

  /** Whether a request is changing it: a read may then show it before or after that. @param {Track} track */
  isTaken(track) {
    return this.#taken.has(track);
  }

  /** After a change, whose end may be unknown. @param {Track} track */
  giveBack(track) {
    this.#taken.delete(track);
    if (track.settled) this.#live.push(track);
    else this.#doubts.push({ track, since: performance.now() });
  }

  /** For good. @param {Track} track @param {string | undefined} file */
  remove(track, file) {
    this.#taken.delete(track);
    this.model.records.delete(track.marker);
    this.gone.add(track.marker);
    if (file !== undefined) this.files.delete(file);
  }

  /** One whose state can be found out by now. @returns {Track | undefined} */
  takeDecided() {
    const [oldest] = this.#doubts;
    if (oldest === undefined || performance.now() - oldest.since < DECIDED_MS) return undefined;
    return this.#doubts.shift()?.track;
  }
}
