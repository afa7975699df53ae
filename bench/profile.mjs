// @ts-check
// Reads a processor profile: which function the main thread was in, and for how long. Pure: it starts and measures nothing.

/**
 * @typedef {{ functionName: string, url: string, lineNumber: number }} CallFrame
 * @typedef {{ id: number, callFrame: CallFrame, children?: number[] }} ProfileNode
 * @typedef {{ nodes: ProfileNode[], samples: number[], timeDeltas: number[] }} Profile
 *
 * @typedef {object} Place a function as it was called: with the functions that led to it
 * @property {string} name
 * @property {string} file below the project, `node:net` for a part of Node, empty for compiled code of the engine
 * @property {number} line
 * @property {number} micros in the function itself
 * @property {Place | undefined} caller
 */

/** What the engine notes where no function runs. */
export const IDLE = '(idle)';
export const GARBAGE = '(garbage collector)';
const ROOT_NAMES = ['(root)', IDLE, GARBAGE, '(program)'];

/** @param {string} url @param {string} root of the project */
function fileOf(url, root) {
  const path = url.startsWith('file://') ? decodeURIComponent(url.slice('file://'.length)) : url;
  const own = path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path;
  // The last one: packages have packages of their own.
  const packages = own.lastIndexOf('node_modules/');
  return packages === -1 ? own.replace(/^dist\//, '') : own.slice(packages);
}

/** @param {Profile} profile @param {string} root @returns {Place[]} */
export function placesOf({ nodes, samples, timeDeltas }, root) {
  /** @type {Map<number, Place>} */
  const places = new Map();
  for (const { id, callFrame } of nodes) {
    const { functionName, url, lineNumber } = callFrame;
    const name = functionName === '' ? '(anonymous)' : functionName;
    places.set(id, { name, file: fileOf(url, root), line: lineNumber + 1, micros: 0, caller: undefined });
  }
  for (const { id, children = [] } of nodes) {
    for (const child of children) {
      const place = places.get(child);
      if (place) place.caller = places.get(id);
    }
  }
  samples.forEach((id, i) => {
    const place = places.get(id);
    // A sample stands for the time until the next.
    if (place) place.micros += Math.max(0, timeDeltas[i + 1] ?? 0);
  });
  return [...places.values()];
}

/** @param {readonly Place[]} places @param {(place: Place) => boolean} [which] */
export const microsOf = (places, which = () => true) =>
  places.reduce((sum, place) => (which(place) ? sum + place.micros : sum), 0);

/** @param {Place} place */
export const isIdle = ({ name }) => name === IDLE;

/**
 * Functions by the time in themselves, whoever called them.
 * @param {readonly Place[]} places
 * @returns {{ name: string, where: string, micros: number }[]} the most first
 */
export function functionsOf(places) {
  /** @type {Map<string, { name: string, where: string, micros: number }>} */
  const functions = new Map();
  for (const place of places) {
    if (place.micros === 0 || isIdle(place)) continue;
    const { name, file, line } = place;
    const where = file === '' ? (ROOT_NAMES.includes(name) ? '' : calledFrom(place)) : `${file}:${line}`;
    const key = `${name} ${where}`;
    const found = functions.get(key) ?? { name, where, micros: 0 };
    found.micros += place.micros;
    functions.set(key, found);
  }
  return [...functions.values()].sort((a, b) => b.micros - a.micros);
}

/** Compiled code has no file: what called it says more than its name. @param {Place} place */
function calledFrom(place) {
  let caller = place.caller;
  while (caller !== undefined && caller.file === '') caller = caller.caller;
  return caller === undefined ? '' : `called from ${caller.file}`;
}
