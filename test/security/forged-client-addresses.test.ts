// Where a request comes from behind a proxy that is trusted: an address in its one spelling, or the proxy's own.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { publishApplication, type TestApplication } from '../support/application.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

describe('the address of a client behind a proxy', () => {
  let server: TestServer;
  let app: TestApplication;

  before(async () => {
    server = await startTestServer({ trustedProxies: ['127.0.0.1'] });
    app = await publishApplication(server, { collections: [] });
  });
  after(async () => {
    await server.close();
  });

  const loggedFor = async (forwarded: string): Promise<string> => {
    const json = { userId: app.admin.id, password: app.admin.password };
    const headers = { 'x-forwarded-for': forwarded };
    const reply = await server.send('POST', `/v1/${app.id}/session`, { headers, json });
    assert.equal(reply.status, 200, reply.text);
    const id = /cartulary_session=(\w+)/.exec(reply.headers.get('set-cookie') ?? '')?.[1];
    const [[ip] = []] = await server.database.sql(`select ip from app_${app.id}.sessions where id = $1`, [id]);
    return String(ip);
  };

  const SPELLINGS: Readonly<Record<string, readonly string[]>> = {
    '192.0.2.7': ['192.0.2.7', '192.0.2.7:4711', '::ffff:192.0.2.7', '[::FFFF:c000:0207]:443', '9.9.9.9, 192.0.2.7'],
    '2001:db8::5': [
      '2001:db8::5',
      '[2001:db8::5]',
      '[2001:db8::5]:1',
      '2001:DB8:0:0:0:0:0:5',
      '2001:0db8:0000::0005',
      '2001:db8::0.0.0.5',
    ],
    'fe80::1': ['fe80::1%eth0', '[fe80::1%25eth0]:80'],
    // Of the proxy: what it says is no address.
    '127.0.0.1': [
      'unknown',
      '_hidden',
      'x'.repeat(9_000),
      '192.0.2.300',
      '192.0.2.7:x',
      '[192.0.2.7]',
      '[::1',
      '1',
      '',
    ],
  };
  it('does not make a host of what the proxy forwards as one', async () => {
    const path = `/v1/${app.id}`;
    const forwarded = (host: string) =>
      server.send('GET', path, { token: app.admin.token, headers: { 'x-forwarded-host': host } });
    assert.equal((await forwarded('there.example:81')).status, 200);
    const reply = await forwarded('a>; rel="x"');
    assert.equal(reply.status, 400, reply.text);
    assert.equal(reply.body.params.parameter, 'Host');
  });

  for (const [address, spellings] of Object.entries(SPELLINGS)) {
    it(`is ${address} however it is spelt`, async () => {
      for (const spelling of spellings) assert.equal(await loggedFor(spelling), address, spelling.slice(0, 40));
    });
  }
});
