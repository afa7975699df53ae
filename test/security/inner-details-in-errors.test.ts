// Inner details in errors: what fails inside the server is told as INTERNAL_ERROR and nothing more. The rest is in the log,
// found by the request's ID.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { assertProblem, send } from '../support/http-client.ts';
import { openTenants, type Tenants } from './tenants.ts';

describe('a failure inside the server', () => {
  let tenants: Tenants;

  before(async () => {
    tenants = await openTenants();
    const { server, ours } = tenants;
    // The database refuses what the server takes for right: only a fault of ours could do that.
    for (const table of [ours.things.collectionId, 'views', 'tokens']) {
      await server.database.sql(
        `alter table app_${ours.app.id}.${table} add constraint inner_rule check (false) not valid`,
      );
    }
  });
  after(async () => {
    await tenants.server.close();
  });

  it('is told without its cause', async () => {
    const { server, ours } = tenants;
    const headers = { authorization: `Bearer ${ours.app.admin.token}`, 'content-type': 'application/json' };
    const records = ours.app.records('Things');
    for (const [method, path, body] of [
      ['POST', records, { values: {} }],
      ['PUT', `${records}/${ours.things.recordId}`, { values: {} }],
      ['POST', `/collections/${ours.things.collectionId}/views`, { name: 'x', settings: {} }],
      ['POST', `/users/${ours.user.id}/tokens`, { name: 'x' }],
    ] as const) {
      const reply = await send(server.address, method, `/v1/${ours.app.id}${path}`, {
        headers,
        body: JSON.stringify(body),
      });
      assertProblem(reply, 500, 'INTERNAL_ERROR', path);
      assert.equal(reply.text, '{"code":"INTERNAL_ERROR"}');
      assert.doesNotMatch(JSON.stringify(reply.headers), /inner_rule|constraint/);
    }
    assert.equal(server.takeFailures().length, 4);
  });
});
