// Access across tenants by identifier: in the path of one application no identifier of another one means anything, on any
// route, and nothing of the other changes.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { send } from '../support/http-client.ts';
import { bodyOf, pathOf, ROWS, type Row } from '../support/route-rows.ts';
import { openTenants, stateOf, type Tenants } from './tenants.ts';

/** Routes below an application, with a further identifier in their path. OPTIONS tells of the protocol alone. */
const TARGETS = ROWS.filter(
  ({ side, method, parameters }) => side === 'interface' && method !== 'OPTIONS' && parameters.length > 1,
);

describe('identifiers of another application', () => {
  let tenants: Tenants;

  before(async () => {
    tenants = await openTenants();
  });
  after(async () => {
    await tenants.server.close();
  });

  const sendRow = (row: Row, given: Readonly<Record<string, string>>, token: string) => {
    const type = row.body === undefined ? {} : { 'content-type': 'application/json' };
    const body = row.takesBytes ? { body: 'abc' } : row.body === undefined ? {} : { body: bodyOf(row) };
    const headers = { ...row.headers, ...type, authorization: `Bearer ${token}` };
    return send(tenants.server.address, row.method, pathOf(row, given), { headers, ...body });
  };

  it('name nothing below the path of one’s own', async () => {
    const { ours, theirs } = tenants;
    const before = await stateOf(theirs);
    for (const row of TARGETS) {
      for (const foreign of row.parameters.filter((name) => name !== 'applicationId' && name in theirs.things)) {
        const given = { ...ours.things, [foreign]: theirs.things[foreign]! };
        const reply = await sendRow(row, given, ours.app.admin.token);
        const where = `${row.title} with a foreign ${foreign}: ${reply.status} ${reply.text}`;
        assert.ok(reply.status >= 400 && reply.status < 500, where);
        assert.doesNotMatch(reply.text, /secret of Theirs/, where);
      }
    }
    assert.equal(await stateOf(theirs), before);
  });

  it('open nothing below the path of the other, with credentials of one’s own', async () => {
    const { ours, theirs } = tenants;
    const before = await stateOf(theirs);
    for (const row of TARGETS) {
      const reply = await sendRow(row, theirs.things, ours.app.admin.token);
      assert.equal(reply.status, 401, `${row.title}: ${reply.status} ${reply.text}`);
    }
    assert.equal(await stateOf(theirs), before);
  });

  it('are no creators, referred records or attachments of records', async () => {
    const { ours, theirs } = tenants;
    const { app } = ours;
    const values = { [app.ids.Things!.Title!]: { type: 'String', value: 'x' } };
    const creator = await app.send('POST', app.records('Things'), {
      json: { values, creatorId: theirs.things.userId },
    });
    assert.equal(creator.body.code, 'INVALID_CREATOR', creator.text);
    const headers = { 'x-service-creatorid': theirs.things.userId!, 'content-type': 'text/plain' };
    const path = `/collections/${app.ids.Things!.id}/attachments`;
    const upload = await app.send('POST', path, { raw: 'x', headers });
    assert.equal(upload.body.code, 'INVALID_CREATOR', upload.text);
  });
});
