// The operator's test of an organization's single sign-on.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startTestServer, type TestServer } from '../support/server.ts';
import { json, startHostileProvider } from './hostile-provider.ts';
import { switchOn } from './scene.ts';

const DESCRIPTION = '/.well-known/openid-configuration';

describe('the test of single sign-on', () => {
  let server: TestServer;

  before(async () => {
    server = await startTestServer();
  });
  after(() => server.close());

  const examine = async (organization: string) =>
    (await server.operator('POST', `/organizations/${organization}/singleSignOn/examination`)).body;

  it('tells what is wrong with the description or the keys, each time anew', async (t) => {
    const provider = await startHostileProvider(t);
    await switchOn(server, 'Acme', provider.settings);
    const fine = { ok: true, reason: null };
    assert.deepEqual(await examine('Acme'), { examination: { description: fine, keys: fine } });
    for (const [path, reply, reason] of [
      ['/jwks', json({ keys: [] }), /has no keys/],
      ['/jwks', json({}, 404), /answers 404/],
      ['/jwks', json({}, 503), /answers 503/],
    ] as const) {
      provider.instead.set(path, reply);
      const { examination } = await examine('Acme');
      assert.deepEqual([examination.description.ok, examination.keys.ok], [true, false]);
      assert.match(examination.keys.reason, reason);
    }
    provider.instead.set(DESCRIPTION, json({ issuer: 'https://login.example' }));
    const { examination } = await examine('Acme');
    assert.deepEqual([examination.description.ok, examination.keys], [false, null]);
  });

  it('has nothing to test without single sign-on, or without the organization', async () => {
    await switchOn(server, 'Plain', null);
    assert.deepEqual(await examine('Plain'), { examination: null });
    assert.equal((await examine('Nobody')).code, 'ORGANIZATION_NOT_FOUND');
  });
});
