// @ts-check
// Records of a megabyte, a hundred at once: small requests with replies of 100 MB.

import { requestBytes } from '../requests.mjs';
import { COLUMNS, collectionPath, text } from './application.mjs';
import { attack } from './attack.mjs';
import { flood } from './sending.mjs';
import { LONG_RECORDS as COUNT } from './stock.mjs';

const PATH = `${collectionPath('long')}/records`;
/** The lead covers the time that reading a hundred of them takes. */
const LONG = /** @type {const} */ ({ needs: ['long'], takesMemory: true, leadMs: 2_500 });
const SLOW_BYTES_PER_SECOND = 64 * 1024;

/** Alternates between two remarks, so that each request changes something. @param {number} turn */
const remark = (turn) => ({ [COLUMNS.long.note]: text(`Turn ${turn}`) });

/** @param {import('./attack.mjs').Scene} scene @param {{ method: string, path: string, body?: (turn: number) => unknown }} request */
function inTurn(scene, { method, path, body = () => undefined }) {
  const all = [0, 1].map((turn) => requestBytes(scene, { method, path, body: body(turn) }));
  return (/** @type {number} */ n) => /** @type {Buffer} */ (all[n % all.length]);
}

export const LONG_RECORDS = [
  attack({
    name: 'long-updates',
    sentence: '5 connections that change one word in each of 100 records of 1 MB, with `replace` false',
    ...LONG,
    run: async (scene) => {
      const body = (/** @type {number} */ turn) =>
        scene.stock.long.map((id) => ({ id, values: remark(turn), replace: false }));
      await flood(scene, { connections: 5, request: inTurn(scene, { method: 'PUT', path: PATH, body }) });
    },
  }),
  attack({
    name: 'long-upserts',
    sentence: '5 connections that make the same change by upserts',
    ...LONG,
    run: async (scene) => {
      const body = (/** @type {number} */ turn) =>
        Array.from({ length: COUNT }, (_, i) => ({ values: { [COLUMNS.long.code]: text(`L${i}`), ...remark(turn) } }));
      const path = `${PATH}/upsert/${COLUMNS.long.code}`;
      await flood(scene, { connections: 5, request: inTurn(scene, { method: 'PATCH', path, body }) });
    },
  }),
  attack({
    name: 'long-lists',
    sentence: '16 connections that list 100 records of 1 MB',
    ...LONG,
    run: (scene) => flood(scene, { connections: 16, request: inTurn(scene, { method: 'GET', path: PATH }) }),
  }),
  attack({
    name: 'long-gets',
    sentence: '40 connections that get records of 1 MB',
    ...LONG,
    run: async (scene) => {
      const all = scene.stock.long.map((id) => requestBytes(scene, { method: 'GET', path: `${PATH}/${id}` }));
      await flood(scene, { connections: 40, request: (n) => /** @type {Buffer} */ (all[n % all.length]) });
    },
  }),
  attack({
    name: 'slow-readers',
    sentence: '60 connections that list 100 records of 1 MB and read 64 KB/s',
    ...LONG,
    run: async (scene) => {
      const request = inTurn(scene, { method: 'GET', path: PATH });
      await flood(scene, { connections: 60, bytesPerSecond: SLOW_BYTES_PER_SECOND, request });
    },
  }),
];
