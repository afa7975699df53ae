// Server-side requests to inner addresses: no text that a user or an admin of an application sends makes the server
// connect to the address in it. Every route gets the address of a trap in every text that it takes.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer, type Server } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { ROUTES, VISITOR_ROUTES } from '../../src/http/routes/table.ts';
import { send } from '../support/http-client.ts';
import { bodyOf, pathOf, ROWS, type Row } from '../support/route-rows.ts';
import { openTenants, type Tenants } from './tenants.ts';

const HEADERS = [
  'host',
  'origin',
  'referer',
  'forwarded',
  'x-forwarded-host',
  'x-forwarded-for',
  'link',
  'traceparent',
  'content-location',
];

/** Texts of an example replaced by `address`, one after the other; those of a fixed set stay. */
function* baited(example: unknown, address: string, schema: string): Generator<unknown> {
  if (typeof example === 'string') {
    if (!schema.includes(`"const":${JSON.stringify(example)}`)) yield address;
  } else if (Array.isArray(example)) {
    for (const bait of baited(example[0], address, schema)) yield [bait];
  } else if (typeof example === 'object' && example !== null) {
    for (const [name, member] of Object.entries(example)) {
      for (const bait of baited(member, address, schema)) yield { ...example, [name]: bait };
    }
  }
}

describe('the address of a machine that only the server reaches', () => {
  let tenants: Tenants;
  let trap: Server;
  let address: string;
  let caught = 0;

  before(async () => {
    trap = createServer((socket) => {
      caught += 1;
      socket.destroy();
    });
    trap.listen(0, '127.0.0.1');
    await once(trap, 'listening');
    address = `http://127.0.0.1:${(trap.address() as AddressInfo).port}/trap`;
    tenants = await openTenants();
  });
  after(async () => {
    // What was left for the background is done when the server is closed.
    await tenants.server.close();
    trap.close();
    assert.equal(caught, 0, 'the server connected to an address that it was sent');
  });

  const sendTo = (row: Row, path: string, headers: Record<string, string>, body?: string) =>
    send(tenants.server.address, row.method, path, {
      headers: { ...row.headers, authorization: `Bearer ${tenants.ours.app.admin.token}`, ...headers },
      ...(body === undefined ? {} : { body }),
    });

  const targets = ROWS.filter(({ side }) => side !== 'operator');

  it('is not called when it is a member of a body', async () => {
    let tried = 0;
    for (const row of targets.filter(({ body }) => body !== undefined)) {
      for (const bait of baited(JSON.parse(bodyOf(row)), address, JSON.stringify(row.body?.schema))) {
        tried += 1;
        const path = pathOf(row, tenants.ours.things);
        await sendTo(row, path, { 'content-type': 'application/json' }, JSON.stringify(bait));
      }
    }
    assert.ok(tried > 15, `${tried}`);
    assert.equal(caught, 0);
  });

  it('is not called when it is a parameter or a header', async () => {
    for (const { method, path, parameters = {} } of [...ROUTES, ...VISITOR_ROUTES]) {
      if (method !== 'GET') continue;
      const row = targets.find((each) => each.title === `${method} ${path}`)!;
      const query = Object.keys(parameters)
        .map((name) => `${name}=${encodeURIComponent(address)}`)
        .join('&');
      await sendTo(row, `${pathOf(row, tenants.ours.things)}?${query}`, {});
      await sendTo(row, pathOf(row, tenants.ours.things), Object.fromEntries(HEADERS.map((name) => [name, address])));
    }
    assert.equal(caught, 0);
  });

  it('is refused as the device of a user, and not called by a notification', async () => {
    const { app, user } = tenants.ours;
    for (const endpoint of [
      address,
      address.replace('http:', 'https:'),
      'https://[::1]/',
      'https://169.254.169.254/',
      'file:///etc/passwd',
    ]) {
      const subscription = { endpoint, keys: { p256dh: 'B'.repeat(87), auth: 'A'.repeat(22) } };
      const json = { transport: 'webPush', subscription };
      const reply = await app.send('POST', `/users/${user.id}/devices`, { json, token: user.token });
      assert.equal(reply.status, 400, `${endpoint}: ${reply.text}`);
    }
    const json = { body: 'x', url: address };
    assert.equal((await app.send('POST', `/users/${user.id}/notifications`, { json })).status, 204);
  });
});
