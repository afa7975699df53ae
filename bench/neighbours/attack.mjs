// @ts-check
// What an attack is: a name, a sentence, what it needs to be there, and what it does, in a process of its own, until it is
// told to stop.

/**
 * @typedef {object} Field where an attack happens: a server, and the application of the neighbour on it
 * @property {string} host
 * @property {number} port
 * @property {string} token of an admin of the neighbour
 * @property {string} operatorKey
 * @property {import('./stock.mjs').Stock} stock
 * @property {readonly string[]} made what the set-up of this row made
 *
 * @typedef {object} Tally of what was sent
 * @property {number} sent
 * @property {number} bytes of the answers
 * @property {number} broken connections
 * @property {Record<string, number>} statuses
 *
 * @typedef {Field & { signal: AbortSignal, tally: Tally }} Scene
 *
 * @typedef {object} Attack
 * @property {string} name
 * @property {string} sentence
 * @property {readonly import('./stock.mjs').StockName[]} [needs]
 * @property {boolean} [takesMemory] measured with a small heap too
 * @property {number} [leadMs] for which it goes on before anybody is measured
 * @property {(field: Field) => Promise<readonly string[]>} [setUp] once for a row
 * @property {(field: Field, connection: import('../side-ours.mjs').Ours['connection']) => Promise<void>} [restore] before each time
 * @property {(scene: Scene) => Promise<void>} run
 */

/** @param {Attack} attack */
export const attack = (attack) => attack;

/** @returns {Tally} */
export const newTally = () => ({ sent: 0, bytes: 0, broken: 0, statuses: {} });

/** @param {Tally} tally @param {number} status */
export function countStatus({ statuses }, status) {
  statuses[status] = (statuses[status] ?? 0) + 1;
}
