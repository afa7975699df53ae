// @ts-check
// Operations on many rows: exports of the log, publishing, deleting.

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
    sentence: '16 concurrent exports of an activity log with 100,000 entries',
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
    sentence: 'the operator publishes repeatedly, adding and dropping the indexes of two columns with 20,000 records',
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
    sentence: 'one request that deletes 20,000 records',
    needs: ['spare'],
    restore: (_, connection) => restoreSpare(connection),
    run: async (scene) => {
      const path = `${benchPath('large')}/records?limit=${MANY}`;
      const bytes = requestBytes(scene, { method: 'DELETE', path });
      await flood(scene, { connections: 1, perSecond: 1, request: () => bytes });
    },
  }),
];
