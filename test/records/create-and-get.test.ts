// Records written and read back: the first story of the interface.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { number, publishApplication, string, type TestApplication } from '../support/application.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

describe('records', () => {
  let server: TestServer;
  let app: TestApplication;

  before(async () => {
    server = await startTestServer();
    app = await publishApplication(server, {
      collections: [
        {
          name: 'Things',
          columns: [
            { name: 'Title', type: 'String', sortable: true, searchable: true },
            { name: 'Code', type: 'String', unique: true, searchable: true },
            { name: 'Size', type: 'Number' },
          ],
        },
      ],
    });
  });
  after(async () => {
    await server.close();
  });

  const values = (title: string, size = 1) => ({
    [app.ids.Things!.Title!]: string(title),
    [app.ids.Things!.Size!]: number(size),
  });

  it('creates one and reads it back', async () => {
    const created = await app.send('POST', app.records('Things'), { json: { values: values('One') } });
    assert.equal(created.status, 200, created.text);
    const record = created.body;
    assert.match(record.id, /^r[0-9a-v]{26}$/);
    assert.match(record.hash, /^[0-9a-v]{26}$/);
    assert.match(record.createdAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    assert.equal(record.timestamp, record.createdAt);
    assert.equal(record.updatedAt, record.createdAt);
    assert.deepEqual(record.createdBy, { id: app.admin.id, name: 'Admin' });
    assert.deepEqual(record.updatedBy, { id: app.admin.id, name: 'Admin' });
    assert.deepEqual(record.values, values('One'));
    const read = await app.send('GET', app.records('Things', record.id));
    assert.equal(read.status, 200);
    assert.deepEqual(read.body, record);
    assert.equal(read.headers.get('content-type'), 'application/json; charset=utf-8');
    assert.ok(read.headers.get('etag')?.startsWith(`"${record.hash}-`));
  });
});
