// Enumeration by the reply: whether an application, a user or an address exists shows in no reply to a visitor. The time
// that a reply takes is compared in enumeration-by-time.test.ts.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { basic, send, type WireReply } from '../support/http-client.ts';
import { pathOf, ROWS } from '../support/route-rows.ts';
import { openTenants, type Tenants } from './tenants.ts';

const NO_APPLICATION = `p${'0'.repeat(26)}`;

/** Without what differs between any two replies. */
const comparable = ({ status, headers, text }: WireReply) => {
  const { date: _date, 'x-request-id': _id, ...rest } = headers;
  return { status, headers: Object.keys(rest).sort(), challenge: rest['www-authenticate'], text };
};

describe('a visitor', () => {
  let tenants: Tenants;

  before(async () => {
    tenants = await openTenants();
  });
  after(async () => {
    await tenants.server.close();
  });

  it('is not told whether an application exists, by any route but that which names how to sign in', async () => {
    const { server, ours } = tenants;
    for (const row of ROWS.filter(({ side }) => side === 'interface')) {
      const ask = async (applicationId: string) => {
        const given = { ...ours.things, applicationId };
        return comparable(await send(server.address, row.method, pathOf(row, given), { headers: row.headers }));
      };
      assert.deepEqual(await ask(NO_APPLICATION), await ask(ours.app.id), row.title);
    }
  });

  it('is not told whether a user exists, by a password or by a token', async () => {
    const { server, ours } = tenants;
    const path = `/v1/${ours.app.id}`;
    const [tokenId = ''] = ours.user.token.split('.');
    const ask = async (authorization: string) =>
      comparable(await send(server.address, 'GET', path, { headers: { authorization } }));
    const wrong = await ask(basic(ours.user.id, 'Wrong-Passw0rd'));
    assert.equal(wrong.status, 401);
    const tries = [
      basic('u0000000', 'Wrong-Passw0rd'),
      `Bearer ${tokenId}.${'A'.repeat(43)}`,
      `Bearer 0123456789abcdef.${'A'.repeat(43)}`,
    ];
    for (const authorization of tries) assert.deepEqual(await ask(authorization), wrong, authorization);
  });

  it('is not told whether a user or an address exists, by signing in or by asking for a new password', async () => {
    const { server, ours } = tenants;
    const bodies = (members: object): object[] => [
      { userId: ours.user.id, ...members },
      { userId: 'u0000000', ...members },
      { email: 'person@example.com', ...members },
      { email: 'nobody@example.com', ...members },
    ];
    const post = async (path: string, body: object, id = ours.app.id) => {
      const headers = { 'content-type': 'application/json' };
      return comparable(
        await send(server.address, 'POST', `/v1/${id}${path}`, { headers, body: JSON.stringify(body) }),
      );
    };
    for (const [path, members] of [
      ['/session', { password: 'Wrong-Passw0rd' }],
      ['/session/passwordReset', {}],
    ] as const) {
      const [first, ...others] = await Promise.all(bodies(members).map((body) => post(path, body)));
      for (const other of others) assert.deepEqual(other, first, path);
      for (const body of bodies(members)) assert.deepEqual(await post(path, body, NO_APPLICATION), first, path);
    }
  });
});
