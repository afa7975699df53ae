// The entries of changes of one record are in the order in which the changes happened.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';
import { publishApplication, string, type TestApplication } from '../support/application.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { schemaOf } from '../support/stored-records.ts';

const ROUNDS = 40;

describe('the order of activity entries', () => {
  let server: TestServer;
  let app: TestApplication;
  let text: string;

  before(async () => {
    server = await startTestServer();
    app = await publishApplication(server, {
      collections: [{ name: 'Things', columns: [{ name: 'Text', type: 'String' }] }],
    });
    text = app.ids.Things!.Text!;
  });
  after(() => server.close());

  const values = (value: string) => ({ values: { [text]: string(value) } });
  const create = async (): Promise<string> =>
    (await app.send('POST', app.records('Things'), { json: values('new') })).body.id;
  const change = (id: string, json: object) => app.send('PUT', app.records('Things', id), { json });
  const remove = (id: string) => app.send('DELETE', app.records('Things', id));
  const kindsOf = async (id: string): Promise<unknown[]> => {
    const rows = await server.database.sql(
      `select entry::json ->> 'subType' from ${schemaOf(app.id)}.activity
       where entry::json #>> '{extra,recordId}' = $1 order by id`,
      [id],
    );
    return rows.map(([kind]) => kind);
  };

  it('is that of arrival when one of them waits for other records', async () => {
    const [locked, id] = [await create(), await create()];
    const blocker = new pg.Client(server.database.connection);
    await blocker.connect();
    try {
      await blocker.query('begin');
      await blocker.query(`select id from ${schemaOf(app.id)}.${app.ids.Things!.id} where id = $1 for update`, [
        locked,
      ]);
      const first = remove(locked);
      // So that the next delete waits for the first, for a moment.
      await new Promise((resolve) => setTimeout(resolve, 20));
      const second = remove(id);
      const third = change(id, values('changed'));
      assert.equal((await second).status, 204);
      assert.equal((await third).status, 404);
      await blocker.query('rollback');
      assert.equal((await first).status, 204);
    } finally {
      await blocker.end();
    }
    assert.deepEqual(await kindsOf(id), ['create', 'delete']);
  });

  it('never has an update after the delete, however they meet', async () => {
    let updates = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const ids = await Promise.all([create(), create(), create()]);
      await Promise.all(
        ids.flatMap((id) => [
          change(id, values('all')),
          remove(id),
          change(id, { ...values('some'), replace: false }),
          change(id, values('again')),
        ]),
      );
      for (const id of ids) {
        const kinds = await kindsOf(id);
        assert.equal(kinds.at(-1), 'delete', kinds.join(', '));
        updates += kinds.length - 2;
      }
    }
    assert.ok(updates > 0, 'some came before');
  });
});
