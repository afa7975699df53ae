// @ts-check
// Passwords: checking and creating one takes a hash that is slow on purpose.

import { PASSWORD } from '../application.mjs';
import { requestBytes, requestHead } from '../requests.mjs';
import { NEIGHBOUR } from '../work.mjs';
import { benchPath } from './application.mjs';
import { attack } from './attack.mjs';
import { flood } from './sending.mjs';
import { CROWD, crowdId } from './stock.mjs';

const CONNECTIONS = 100;
const PER_SECOND = 1_000;
/** Failures from one address before it is slowed down. */
const FAILURES_EACH = 45;

/** @param {import('./attack.mjs').Scene} scene @param {number} user @param {string} password */
const signedBy = ({ host }, user, password) =>
  requestHead(
    { host },
    {
      ...{ method: 'GET', path: `${benchPath('items')}/records?limit=1` },
      headers: [`Authorization: Basic ${Buffer.from(`${crowdId(user)}:${password}`).toString('base64')}`],
    },
  );

export const PASSWORDS = [
  attack({
    name: 'passwords',
    sentence: '100 connections with the correct passwords of 5,000 users (Basic)',
    needs: ['crowd'],
    run: async (scene) => {
      const first = Math.floor(Math.random() * CROWD);
      const request = (/** @type {number} */ n) => signedBy(scene, first + n, PASSWORD);
      await flood(scene, { connections: CONNECTIONS, perSecond: PER_SECOND, request });
    },
  }),
  attack({
    name: 'wrong-passwords',
    sentence: '100 connections with wrong passwords, from constantly changing addresses',
    needs: ['crowd'],
    run: async (scene) => {
      const first = Math.floor(Math.random() * 200);
      // All within 127/8, whose addresses are all loopback on Linux.
      const address = (/** @type {number} */ connection, /** @type {number} */ turn) =>
        `127.${10 + ((first + turn) % 200)}.${connection % 250}.2`;
      const request = (/** @type {number} */ n) => signedBy(scene, n, `Wrong-Passw0rd-${n}`);
      const each = process.platform === 'linux' ? { address, requestsEach: FAILURES_EACH } : {};
      await flood(scene, { connections: CONNECTIONS, perSecond: PER_SECOND, request, ...each });
    },
  }),
  attack({
    name: 'user-creations',
    sentence: '40 connections that create users, each with a password',
    run: async (scene) => {
      const mark = Date.now().toString(36);
      const request = (/** @type {number} */ n) =>
        requestBytes(scene, {
          ...{ method: 'POST', path: `/v1/${NEIGHBOUR}/management/users` },
          body: {
            ...{ name: `New ${mark} ${n}`, email: 'new@example.com', password: PASSWORD },
            ...{ admin: false, apiAccess: true, managementApiAccess: false, profile: { name: 'Standard' } },
          },
        });
      await flood(scene, { connections: 40, perSecond: PER_SECOND, request });
    },
  }),
];
