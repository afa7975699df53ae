// The server proves to any client that it knows the operator key, at a limited rate.

import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, it } from 'node:test';
import { OPERATOR_KEY, startTestServer, type TestServer } from '../support/server.ts';

const PER_MINUTE = 600;
const NONCE = 'n'.repeat(43);

async function withServer(work: (server: TestServer) => Promise<void>): Promise<void> {
  const server = await startTestServer();
  try {
    await work(server);
  } finally {
    await server.close();
  }
}

const ask = (server: TestServer, json: unknown) => server.send('POST', '/operator/v1/proof', { json });

describe('the proof of the operator key', () => {
  it('depends on the key, the nonce and the endpoint', () =>
    withServer(async (server) => {
      const { body } = await ask(server, { nonce: NONCE });
      const hmac = (text: string) => createHmac('sha256', OPERATOR_KEY).update(text).digest('base64url');
      const asked = `cartulary operator proof 1\0${NONCE}\0`;
      const { port } = new URL(server.address);
      assert.deepEqual(body, { knows: hmac(asked), here: hmac(`${asked}127.0.0.1 ${port}`) });
      for (const nonce of ['', 'n'.repeat(42), 'n'.repeat(44), `${'n'.repeat(42)}\0`, 5]) {
        const refused = await ask(server, { nonce });
        assert.equal(refused.status, 400, refused.text);
        assert.equal(refused.body.code, 'INVALID_BODY');
      }
    }));

  it('is given to an address a bounded number of times a minute', () =>
    withServer(async (server) => {
      for (let asked = 0; asked < PER_MINUTE; asked++) assert.equal((await ask(server, { nonce: NONCE })).status, 200);
      const refused = await ask(server, { nonce: NONCE });
      assert.equal(refused.status, 429);
      assert.deepEqual(refused.body, { code: 'TOO_MANY_REQUESTS', params: { reason: 'authentication' } });
      assert.match(refused.headers.get('retry-after') ?? '', /^\d+$/);
    }));
});
