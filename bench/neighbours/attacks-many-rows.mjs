// @ts-check
// What goes through many rows at once: exports of the log, publishing, deleting.

import { firstOfMonth } from '../activity-log.mjs';
import { requestBytes } from '../requests.mjs';
import { NEIGHBOUR } from '../work.mjs';
import { benchPath, IN_TURN, neighbourDocument } from './application.mjs';
import { attack } from './attack.mjs';
import { flood } from './sending.mjs';
import { ENTRIES, MANY, restoreSpare } from './stock.mjs';

export const MANY_ROWS = [
  attack({
    name: 'log-export',
    sentence: '16 exports at once of an activity log of 100,000 entries',
    needs: ['entries'],
    takesMemory: true,
    run: async (scene) => {
      const [start, end] = [0, ENTRIES].map((ms) => new Date(firstOfMonth() + ms).toISOString());
      const path = `/v1/${NEIGHBOUR}/management/userActivityLogs?startDate=${start}&endDate=${end}`;
      const bytes = requestBytes(scene, { method: 'GET', path });
      await flood(scene, { connections: 16, request: () => bytes });
    },
  }),
  attack({
    name: 'publishing',
    sentence: 'the operator publishes again and again: two columns of 20,000 records get their indexes and lose them',
    needs: ['plain'],
    run: async (scene) => {
      const operator = { host: scene.host, token: scene.operatorKey };
      const all = IN_TURN.map((flags) =>
        requestBytes(operator, {
          ...{ method: 'POST', path: '/operator/v1/applications' },
          body: neighbourDocument(flags),
        }),
      );
      await flood(scene, { connections: 1, request: (n) => /** @type {Buffer} */ (all[n % all.length]) });
    },
  }),
  attack({
    name: 'delete-many',
    sentence: '20,000 records are deleted by one request',
    needs: ['spare'],
    restore: (_, connection) => restoreSpare(connection),
    run: async (scene) => {
      const path = `${benchPath('large')}/records?limit=${MANY}`;
      const bytes = requestBytes(scene, { method: 'DELETE', path });
      await flood(scene, { connections: 1, perSecond: 1, request: () => bytes });
    },
  }),
];
