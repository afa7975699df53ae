// One application of a backup beside others: under its own identifier, or as another one.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { publishApplication, string, type TestApplication } from '../support/application.ts';
import { filesOf } from '../support/attachments.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { backUp, contentsOf, elsewhere, entriesOf, receiveBackup, restoreInto, schemasOf } from './archives.ts';

const COLLECTIONS = [
  {
    name: 'Visits',
    columns: [
      { name: 'Title', type: 'String', unique: true },
      { name: 'Photo', type: 'Attachment' },
    ],
  },
];

describe('one application of a backup', () => {
  let server: TestServer;
  let app: TestApplication;
  let beside: TestApplication;
  let all: Buffer;
  let alone: Buffer;
  let attachmentId: string;

  before(async () => {
    server = await startTestServer();
    app = await publishApplication(server, { name: 'One', organization: 'Acme', collections: COLLECTIONS });
    beside = await publishApplication(server, { name: 'Beside', collections: COLLECTIONS });
    for (const one of [app, beside]) {
      const uploaded = await one.send('POST', `/collections/${one.ids.Visits!.id}/attachments`, { raw: 'a picture' });
      attachmentId = one === app ? uploaded.body.id : attachmentId;
      const values = {
        [one.ids.Visits!.Title!]: string('first'),
        [one.ids.Visits!.Photo!]: { type: 'Attachment', id: uploaded.body.id },
      };
      assert.equal((await one.send('POST', one.records('Visits'), { json: { values } })).status, 200);
    }
    all = await backUp(server);
    alone = await backUp(server, `?application=${app.id}`);
  });
  after(() => server.close());

  it('is backed up without the others', async () => {
    const entries = await entriesOf(alone);
    const ids = entries.flatMap((entry) => (entry.kind === 'application' ? entry.application.id : []));
    assert.deepEqual(ids, [app.id]);
    assert.ok(!alone.includes(beside.id) && !alone.includes('Beside'));
    assert.equal((await receiveBackup(server.address, `?application=${app.id.replace(/.$/, '!')}`)).status, 400);
    assert.equal((await receiveBackup(server.address, `?application=p${'0'.repeat(26)}`)).status, 404);
    assert.equal((await receiveBackup(server.address, '?aplication=x')).status, 400);
  });

  it('is not restored over one that exists', async () => {
    for (const [archive, query] of [
      [all, `?application=${app.id}`],
      [alone, ''],
    ] as const) {
      const reply = await restoreInto(server, archive, query);
      assert.equal(reply.status, 409, reply.text);
      assert.match(reply.body.params.reason, /exists\. Remove it first/);
    }
    const unknown = await restoreInto(server, all, `?application=p${'0'.repeat(26)}`);
    assert.deepEqual([unknown.status, unknown.body.code], [404, 'APPLICATION_NOT_FOUND']);
  });

  it('comes back as it was, and leaves the others alone', async () => {
    const before = await contentsOf(server, app.id);
    const untouched = await contentsOf(server, beside.id);
    for (const [archive, query] of [
      [all, `?application=${app.id}`],
      [alone, ''],
    ] as const) {
      assert.equal((await server.operator('DELETE', `/applications/${app.id}`)).status, 204);
      const reply = await restoreInto(server, archive, query);
      assert.equal(reply.status, 200, reply.text);
      assert.deepEqual(reply.body.application, { id: app.id, name: 'One' });
      assert.deepEqual(await contentsOf(server, app.id), before);
      assert.deepEqual(await contentsOf(server, beside.id), untouched);
      const file = await filesOf({ server, app }, 'Visits').get(attachmentId);
      assert.equal(file.bytes.toString(), 'a picture');
    }
  });

  it('becomes another one beside itself', async () => {
    const reply = await restoreInto(server, all, `?application=${app.id}&as=Copy`);
    assert.equal(reply.status, 200, reply.text);
    const { id, name } = reply.body.application;
    assert.equal(name, 'Copy');
    assert.notEqual(id, app.id);
    const copy = elsewhere(app, server, id);
    const list = await copy.send('GET', copy.records('Visits'));
    assert.equal(list.body.length, 1, list.text);
    const definition = await copy.send('GET', '');
    assert.deepEqual([definition.body.id, definition.body.name], [id, 'Copy']);
    const values = { [app.ids.Visits!.Title!]: string('second') };
    assert.equal((await copy.send('POST', copy.records('Visits'), { json: { values } })).status, 200);
    assert.equal((await app.send('GET', app.records('Visits'))).body.length, 1);
    assert.equal((await schemasOf(server)).length, 3);
    assert.equal((await restoreInto(server, all, '?as=Copy')).status, 400);
    assert.equal((await restoreInto(server, all, `?application=${app.id}&as=%20`)).status, 400);
  });

  it('brings its shared users, and leaves those alone that are there', async () => {
    const target = await startTestServer();
    try {
      const shared = { name: 'Kim', email: 'kim@example.com', password: 'Secret-Passw0rd' };
      const made = await server.operator('POST', '/organizations/Acme/sharedUsers', shared);
      assert.equal(made.status, 200, made.text);
      const published = await server.operator('POST', '/applications', {
        name: 'Sharing',
        organization: 'Acme',
        sharedUsersModeEnabled: true,
        collections: COLLECTIONS,
      });
      const id = published.body.application.id as string;
      const user = {
        name: 'Kim',
        admin: true,
        apiAccess: true,
        managementApiAccess: true,
        profile: { name: 'Standard' },
      };
      const joined = await server.operator('POST', `/applications/${id}/users`, user);
      assert.equal(joined.status, 200, joined.text);
      const archive = await backUp(server, `?application=${id}`);
      await target.operator('PUT', '/organizations/Acme', { singleSignOn: null });
      const taken = await target.operator('POST', '/organizations/Acme/sharedUsers', {
        ...shared,
        email: 'other@example.com',
      });
      assert.equal(taken.status, 200, taken.text);
      const refused = await restoreInto(target, archive);
      assert.equal(refused.status, 409, refused.text);
      assert.match(refused.body.params.reason, /another shared user called Kim/);
      assert.deepEqual(await schemasOf(target), []);
      assert.equal((await target.operator('DELETE', `/organizations/Acme/sharedUsers/${taken.body.id}`)).status, 204);
      assert.equal((await restoreInto(target, archive)).status, 200);
      const people = await target.operator('GET', '/organizations/Acme/sharedUsers');
      assert.deepEqual(
        people.body.map((one: { id: string }) => one.id),
        [made.body.id],
      );
      assert.equal((await target.operator('GET', `/applications/${id}/users`)).body[0].name, 'Kim');
    } finally {
      await target.close();
    }
  });
});
