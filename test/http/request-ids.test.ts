// Each answer carries an X-Request-Id, and what the server observes has the same one.

import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { startServer } from '../../src/cli/start-server.ts';
import type { Observation } from '../../src/events/events.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { head, onWire } from '../support/http-client.ts';
import { OPERATOR_KEY } from '../support/server.ts';

describe('request ids', () => {
  const observed: Observation[] = [];
  let database: TestDatabase;
  let folder: string;
  let server: Awaited<ReturnType<typeof startServer>>;

  before(async () => {
    database = await createDatabase();
    folder = await mkdtemp(join(tmpdir(), 'ct-files-'));
    server = await startServer({
      connection: database.connection,
      connectionsMax: 4,
      requestMs: 30_000,
      host: '127.0.0.1',
      port: 0,
      publicUrl: undefined,
      operatorKey: OPERATOR_KEY,
      authFailures: { account: 10, address: 50 },
      trustedProxies: undefined,
      allowedOrigins: [],
      clientConnectionsMax: 100,
      requestsAtOnce: 48,
      mail: undefined,
      attachments: { kind: 'disk', folder },
      spoolFolder: folder,
      unheldDays: 7,
      announcedDays: 7,
      activityLogDays: 400,
      push: { services: [], subject: 'mailto:test@example.com' },
      observe: (observation) => observed.push(observation),
    });
  });
  after(async () => {
    await server.close();
    await rm(folder, { recursive: true, force: true });
    await database.drop();
  });

  const requests: Record<string, [string, number]> = {
    'an answer': [head('GET', '/healthz'), 200],
    'an operator’s answer': [
      head('GET', '/operator/v1/applications', { authorization: `Bearer ${OPERATOR_KEY}` }),
      200,
    ],
    'missing credentials': [head('GET', `/v1/p${'0'.repeat(26)}`), 401],
    'a malformed identifier': [head('GET', '/v1/x'), 400],
    'an unknown path': [head('GET', '/nothing'), 404],
    'a wrong verb': [head('DELETE', '/healthz'), 405],
    'a path that cannot be read': [head('GET', '/%zz'), 400],
    'a missing Host': ['GET /healthz HTTP/1.1\r\n\r\n', 400],
    'what is not HTTP': ['nonsense\r\n\r\n', 400],
  };
  for (const [what, [text, status]] of Object.entries(requests)) {
    it(`are in the log for ${what}`, async () => {
      const reply = await onWire(server.address, (wire) => wire.write(text).answer());
      assert.equal(reply.status, status, reply.text);
      const id = reply.headers['x-request-id'];
      // The observation follows the answer, so it may be a moment behind it.
      for (let turn = 0; turn < 100 && !observed.some((one) => 'requestId' in one && one.requestId === id); turn++) {
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      const entry = observed.find((one) => 'requestId' in one && one.requestId === id);
      assert.deepEqual([entry?.event, entry && 'status' in entry && entry.status], ['request', status]);
    });
  }

  it('are never given twice', () => {
    const ids = observed.flatMap((one) => ('requestId' in one ? [one.requestId] : []));
    assert.ok(ids.length >= Object.keys(requests).length);
    assert.equal(new Set(ids).size, ids.length);
  });
});
