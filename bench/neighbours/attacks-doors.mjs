// @ts-check
// Cheap requests in large numbers: connections, pipelines, paths that need no credentials, ordinary reads.

import { requestBytes, requestHead } from '../requests.mjs';
import { benchPath } from './application.mjs';
import { attack } from './attack.mjs';
import { flood, knock } from './sending.mjs';

const PIPELINED = 300;

export const DOORS = [
  attack({
    name: 'connections',
    sentence: '8,000 silent connections, and 1,000 a second that open and are closed or reset',
    takesMemory: true,
    leadMs: 8_000,
    run: (scene) => knock(scene, { idle: 8_000, perSecond: 1_000 }),
  }),
  attack({
    name: 'pipelines',
    sentence: `20 connections that send ${PIPELINED} pipelined lists, and again after the replies`,
    needs: ['many'],
    takesMemory: true,
    run: async (scene) => {
      const one = requestBytes(scene, { method: 'GET', path: `${benchPath('items')}/records` });
      const bytes = Buffer.concat(Array.from({ length: PIPELINED }, () => one));
      await flood(scene, { connections: 20, answers: PIPELINED, request: () => bytes });
    },
  }),
  attack({
    name: 'readyz',
    sentence: '40 connections that request /readyz and /healthz 4,000 times a second',
    run: async (scene) => {
      const all = ['/readyz', '/healthz'].map((path) => requestHead({ host: scene.host }, { method: 'GET', path }));
      await flood(scene, { connections: 40, request: (n) => /** @type {Buffer} */ (all[n % all.length]) });
    },
  }),
  attack({
    name: 'lanes',
    sentence: '40 connections that get and list small records as fast as replies arrive',
    needs: ['many'],
    run: async (scene) => {
      const path = `${benchPath('items')}/records`;
      const gets = scene.stock.many.map((id) => requestBytes(scene, { method: 'GET', path: `${path}/${id}` }));
      const list = requestBytes(scene, { method: 'GET', path });
      const request = (/** @type {number} */ n) => (n % 4 === 0 ? list : (gets[n % gets.length] ?? list));
      await flood(scene, { connections: 40, request });
    },
  }),
];
