// @ts-check
// The type of an attack: a name, a sentence for the report, the data that it needs, and the function that runs in a separate
// process until its signal is aborted.

/**
 * @typedef {object} Field the target of an attack: a server with the neighbour's application
 * @property {string} host
 * @property {number} port
 * @property {string} token of an admin of the neighbour
 * @property {string} operatorKey
 * @property {import('./stock.mjs').Stock} stock
 * @property {readonly string[]} made the result of this row's `setUp`
 *
 * @typedef {object} Tally counts of the requests
 * @property {number} sent
 * @property {number} bytes of the replies
 * @property {number} broken connections
 * @property {Record<string, number>} statuses
 *
 * @typedef {Field & { signal: AbortSignal, tally: Tally }} Scene
 *
 * @typedef {object} Attack
 * @property {string} name
 * @property {string} sentence
 * @property {readonly import('./stock.mjs').StockName[]} [needs]
 * @property {boolean} [takesMemory] also measured with a small heap
 * @property {number} [leadMs] how long it runs before the measurement starts
 * @property {(field: Field) => Promise<readonly string[]>} [setUp] called once per row
 * @property {(field: Field, connection: import('../side-ours.mjs').Ours['connection']) => Promise<void>} [restore] called before each phase
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
