// Escalation through one's own interface: people who may manage users cannot use that against those who may do more, on
// any route that names a user, and users without that right against nobody.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Person } from '../support/application.ts';
import { basic, send } from '../support/http-client.ts';
import { bodyOf, pathOf, ROWS, type Row } from '../support/route-rows.ts';
import { openTenants, type Tenants } from './tenants.ts';

const TARGETS = ROWS.filter(
  ({ side, method, parameters }) => side === 'interface' && method !== 'GET' && parameters.includes('userId'),
);
/** What everyone may do to everyone. */
const OPEN_TO_ALL = ['POST /v1/:applicationId/users/:userId/notifications'];

describe('a user who may do less', () => {
  let tenants: Tenants;
  let owner: Person;
  let manager: Person;

  before(async () => {
    tenants = await openTenants();
    const { app } = tenants.ours;
    const flags = { managementApiAccess: true, organizationManagementApiAccess: true };
    owner = await app.addPerson('Owner', flags);
    manager = await app.addPerson('Manager', { managementApiAccess: true });
  });
  after(async () => {
    await tenants.server.close();
  });

  const sendRow = (
    row: Row,
    userId: string,
    token: string,
    body = row.body === undefined ? undefined : bodyOf(row),
  ) => {
    const { app, things } = tenants.ours;
    const type = body === undefined ? {} : { 'content-type': 'application/json' };
    const headers = { ...row.headers, ...type, authorization: `Bearer ${token}` };
    const path = pathOf(row, { ...things, applicationId: app.id, userId });
    return send(tenants.server.address, row.method, path, { headers, ...(body === undefined ? {} : { body }) });
  };

  /** The owner as before: the same rights, token and password. */
  const assertUntouched = async (where: string) => {
    const { app } = tenants.ours;
    const user = await app.send('GET', `/management/users/${owner.id}`);
    const { admin, managementApiAccess, organizationManagementApiAccess, disabled } = user.body;
    assert.deepEqual(
      [admin, managementApiAccess, organizationManagementApiAccess, disabled],
      [false, true, true, false],
      where,
    );
    const address = tenants.server.address;
    for (const authorization of [`Bearer ${owner.token}`, basic(owner.id, owner.password)]) {
      const reply = await send(address, 'GET', `/v1/${app.id}`, { headers: { authorization } });
      assert.equal(reply.status, 200, `${where}: ${reply.text}`);
    }
    const tokens = await app.send('GET', `/users/${owner.id}/tokens`);
    assert.equal(tokens.body.length, 1, `${where}: ${tokens.text}`);
  };

  for (const row of TARGETS.filter(({ title }) => !OPEN_TO_ALL.includes(title))) {
    it(`${row.title} is not theirs against who may do more`, async () => {
      const { user } = tenants.ours;
      for (const token of [manager.token, user.token]) {
        const { status, text } = await sendRow(row, owner.id, token);
        assert.ok(status >= 400 && status < 500, `${status} ${text}`);
      }
      await assertUntouched(row.title);
    });
  }

  it('gives neither itself nor anyone the right that it lacks', async () => {
    const { app, user } = tenants.ours;
    const rights = { admin: false, apiAccess: true, managementApiAccess: true, profile: { name: 'Standard' } };
    const more = { ...rights, organizationManagementApiAccess: true };
    for (const [id, token] of [
      [manager.id, manager.token],
      [user.id, manager.token],
      [user.id, user.token],
    ] as const) {
      const json = { ...more, email: 'a@b.example', disabled: false };
      const { status, text } = await app.send('PUT', `/management/users/${id}`, { json, token });
      assert.equal(status, 403, text);
    }
    const json = { ...more, name: 'Straw man', email: 'a@b.example', password: 'Secret-Passw0rd' };
    for (const { token } of [manager, user]) {
      assert.equal((await app.send('POST', '/management/users', { json, token })).status, 403);
    }
  });

  it('creates nothing in the name of another', async () => {
    const { app, user } = tenants.ours;
    const json = { values: {}, creatorId: owner.id };
    assert.equal((await app.send('POST', app.records('Things'), { json, token: user.token })).status, 403);
    const upsert = `${app.records('Things')}/upsert/${app.ids.Things!.Title}`;
    const values = { [app.ids.Things!.Title!]: { type: 'String', value: 'new' } };
    assert.equal(
      (await app.send('PATCH', upsert, { json: { values, creatorId: owner.id }, token: user.token })).status,
      403,
    );
    const at = `/collections/${app.ids.Things!.id}`;
    const headers = { 'x-service-creatorid': owner.id, 'content-type': 'text/plain' };
    assert.equal((await app.send('POST', `${at}/attachments`, { raw: 'x', headers, token: user.token })).status, 403);
    const tus = { 'tus-resumable': '1.0.0', 'upload-length': '3', 'x-service-creatorid': owner.id };
    assert.equal((await app.send('POST', `${at}/uploads`, { headers: tus, token: user.token })).status, 403);
  });
});
