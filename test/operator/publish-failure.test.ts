// A publish that fails leaves the application unchanged and no remains.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Application } from '../../src/wire/applications.ts';
import { publishApplication, string, type TestApplication } from '../support/application.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { assertNoDebris, assertRecordsAgree, columnsOf, schemaOf } from '../support/stored-records.ts';

const TITLE = { name: 'Title', type: 'String' };
const NOTE = { name: 'Note', type: 'String' };

describe('a publish that fails half-way', () => {
  let server: TestServer;
  let app: TestApplication;
  let published: Application;
  let recordId: string;

  before(async () => {
    server = await startTestServer();
    app = await publishApplication(server, { collections: [{ name: 'Things', columns: [TITLE, NOTE] }] });
    const { Title, Note } = app.ids.Things as { Title: string; Note: string };
    const created = await app.send('POST', app.records('Things'), {
      json: { values: { [Title]: string('a'), [Note]: string('b') } },
    });
    recordId = created.body.id;
    published = (await app.send('GET', '')).body;
  });
  after(async () => {
    await server.close();
  });

  /** Removes a column, makes another unique, and adds a collection whose table already exists, which fails. */
  const bold = () => ({
    id: app.id,
    name: 'Bold',
    organization: 'Bold organization',
    activityLogEnabled: true,
    collections: [
      { name: 'Things', columns: [{ ...TITLE, unique: true }] },
      { id: 't1111111', name: 'New', columns: [] },
    ],
  });

  it('changes nothing, and the next one succeeds', async () => {
    const schema = schemaOf(app.id);
    const before = (await app.send('GET', app.records('Things', recordId))).body;
    await server.database.sql(`create table ${schema}.t1111111 (in_the_way integer)`);
    const failed = await server.operator('POST', '/applications?allowDataLoss=true', bold());
    assert.equal(failed.status, 500);
    assert.deepEqual(failed.body, { code: 'INTERNAL_ERROR' });
    assert.equal(server.takeFailures().length, 1);
    await server.database.sql(`drop table ${schema}.t1111111`);

    await assertNoDebris(server.database, published);
    await assertRecordsAgree(server.database, published, published.collections[0]!);
    assert.deepEqual((await app.send('GET', '')).body, published);
    assert.deepEqual((await app.send('GET', app.records('Things', recordId))).body, before);
    assert.equal((await server.operator('GET', '/organizations/Bold%20organization')).status, 404);
    const write = await app.send('PUT', app.records('Things', recordId), { json: { values: before.values } });
    assert.equal(write.status, 200, write.text);

    const done = await server.operator('POST', '/applications?allowDataLoss=true', bold());
    assert.equal(done.status, 200, done.text);
    assert.equal(done.body.application.version, 2);
    await assertNoDebris(server.database, done.body.application);
    await assertRecordsAgree(server.database, done.body.application, done.body.application.collections[0]);
  });

  it('leaves no remains of an application that could not be created', async () => {
    const id = `p${'0'.repeat(26)}`;
    await server.database.sql(`create schema ${schemaOf(id)}`);
    const document = { id, name: 'Blocked', organization: 'Blocked organization', collections: [] };
    const failed = await server.operator('POST', '/applications', document);
    assert.equal(failed.status, 500);
    assert.equal(server.takeFailures().length, 1);
    assert.equal((await server.operator('GET', `/applications/${id}`)).body.code, 'APPLICATION_NOT_FOUND');
    assert.equal((await server.operator('GET', '/organizations/Blocked%20organization')).status, 404);
    await server.database.sql(`drop schema ${schemaOf(id)}`);
    const done = await server.operator('POST', '/applications', document);
    assert.equal(done.status, 200, done.text);
    assert.equal(done.body.application.version, 1);
  });

  it('is cleaned up after its server was killed', async () => {
    const id = `p${'1'.repeat(26)}`;
    const document = { id, name: 'Left', collections: [{ id: 't2222222', name: 'A', columns: [TITLE] }] };
    assert.equal((await server.operator('POST', '/applications', document)).status, 200);
    const schema = schemaOf(id);
    await server.database.sql(`alter table ${schema}.t2222222 add column u_c9999999 text collate "C"`);
    const next = { ...document, collections: [{ id: 't2222222', name: 'A', columns: [TITLE, NOTE] }] };
    const done = await server.operator('POST', '/applications', next);
    assert.equal(done.status, 200, done.text);
    assert.ok(!(await columnsOf(server.database, schema, 't2222222')).includes('u_c9999999'));
    await assertNoDebris(server.database, done.body.application);
  });
});
