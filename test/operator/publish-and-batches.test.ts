// Publishing while batches lock records: no deadlocks and no timeouts.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { number, publishApplication, string, type TestApplication } from '../support/application.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const CLIENTS = 6;
const RECORDS = 100;

describe('publishing and batches', () => {
  let server: TestServer;
  let app: TestApplication;

  const columns = (unique: boolean) => [
    { name: 'Code', type: 'String', unique },
    { name: 'Count', type: 'Number' },
  ];

  before(async () => {
    server = await startTestServer({ connectionsMax: 16 });
    app = await publishApplication(server, { collections: [{ name: 'Things', columns: columns(false) }] });
  });
  after(async () => {
    await server.close();
  });

  it('succeed together: every publish and every batch gets 200', async () => {
    const { Code, Count } = app.ids.Things!;
    const made = await app.send('POST', app.records('Things'), {
      json: Array.from({ length: RECORDS }, (_, n) => ({ values: { [Code!]: string(`code ${n}`) } })),
    });
    const ids: string[] = made.body.map((record: { id: string }) => record.id);
    let publishing = true;
    const client = async (n: number) => {
      const statuses = new Set<number>();
      const order = n % 2 === 0 ? ids : ids.toReversed();
      for (let round = 0; publishing && round < 500; round++) {
        const json = order.map((id) => ({ id, replace: false, values: { [Count!]: number(round) } }));
        statuses.add((await app.send('PUT', app.records('Things'), { json })).status);
      }
      return statuses;
    };
    const clients = Array.from({ length: CLIENTS }, (_, n) => client(n));
    const published: number[] = [];
    for (let round = 0; round < 6; round++) {
      const document = { id: app.id, name: 'Test', activityLogEnabled: true };
      const collections = [{ name: 'Things', columns: columns(round % 2 === 0) }];
      published.push((await server.operator('POST', '/applications', { ...document, collections })).status);
    }
    publishing = false;
    assert.deepEqual(published, [200, 200, 200, 200, 200, 200]);
    for (const statuses of await Promise.all(clients)) assert.deepEqual([...statuses], [200]);
  });

  it('a reference that gets another target and becomes unique collides with nothing', async () => {
    const other = await publishApplication(server, {
      collections: [
        { name: 'One', columns: [{ name: 'Name', type: 'String' }] },
        { name: 'Two', columns: [{ name: 'Name', type: 'String' }] },
        {
          name: 'Refs',
          columns: [{ name: 'Ref', type: 'ReferenceString', scheme: { collection: 'One', column: 'Name' } }],
        },
      ],
    });
    const target = await other.send('POST', other.records('One'), { json: { values: {} } });
    const reference = {
      type: 'ReferenceString',
      collectionId: other.ids.One!.id,
      columnId: other.ids.One!.Name,
      recordId: target.body.id,
    };
    const element = { values: { [other.ids.Refs!.Ref!]: reference } };
    assert.equal((await other.send('POST', other.records('Refs'), { json: [element, element] })).status, 200);
    const document = {
      id: other.id,
      name: 'Test',
      activityLogEnabled: true,
      collections: [
        { name: 'One', columns: [{ name: 'Name', type: 'String' }] },
        { name: 'Two', columns: [{ name: 'Name', type: 'String' }] },
        {
          name: 'Refs',
          columns: [
            { name: 'Ref', type: 'ReferenceString', unique: true, scheme: { collection: 'Two', column: 'Name' } },
          ],
        },
      ],
    };
    const published = await server.operator('POST', '/applications?allowDataLoss=true', document);
    assert.equal(published.status, 200, published.text);
  });
});
