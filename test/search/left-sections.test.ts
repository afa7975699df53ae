// Terms without a column's name while search texts hold more than the definition searches: sections that a publishing has
// filled in already, or has not removed yet, and the letters that follow the sections.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { sectionMark } from '../../src/domain/search/search-text.ts';
import { publishApplication, string, type TestApplication } from '../support/application.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

describe('terms without a name', () => {
  let server: TestServer;
  let app: TestApplication;
  let table: string;

  before(async () => {
    server = await startTestServer();
    app = await publishApplication(server, {
      collections: [
        {
          name: 'Things',
          columns: [
            { name: 'Title', type: 'String', searchable: true },
            { name: 'Body', type: 'String', searchable: true },
            { name: 'Secret', type: 'String' },
          ],
        },
      ],
    });
    table = `app_${app.id}.${app.ids.Things!.id}`;
    const { Title, Body, Secret } = app.ids.Things!;
    for (const [title, body] of [
      ['harbour map', 'drawn by hand'],
      ['a b cd', '錨鎖 ok'],
    ] as const) {
      const values = { [Title!]: string(title), [Body!]: string(body), [Secret!]: string('unicorn') };
      assert.equal((await app.send('POST', app.records('Things'), { json: { values } })).status, 200);
    }
  });
  after(() => server.close());

  const found = async (search: string): Promise<number> => {
    const { status, body, text } = await app.send(
      'GET',
      `${app.records('Things')}?search=${encodeURIComponent(search)}`,
    );
    assert.equal(status, 200, text);
    return body.length;
  };
  const SIX = 'unicorn OR zebra1 OR zebra2 OR zebra3 OR zebra4 OR zebra5';

  it('are found in every section, and in nothing that only lists letters', async () => {
    for (const [search, count] of [
      ['harbour', 1],
      ['"map"', 1],
      ['hand', 1],
      ['錨鎖', 1],
      ['"a b cd"', 1],
      ['" b "', 1],
      ['aːb', 0],
      ['"ːmapː"', 0],
      ['" okː"', 0],
      ['"\u0005b\u0005"', 0],
      ['"map drawn"', 0],
      ['unicorn', 0],
      [SIX, 0],
    ] as const) {
      assert.equal(await found(search), count, search);
    }
  });

  it('are not found in sections of another definition', async () => {
    const { sql } = server.database;
    const section = `${sectionMark(app.ids.Things!.Secret!)}unicorn`;
    await sql(`update ${table} set find = $1 || find`, [section]);
    await sql(
      `insert into cartulary.publishing (application_id, other, switched, step, done, total, started_at)
       select id, definition, true, 'clearing', 0, 0, now() from cartulary.applications where id = $1`,
      [app.id],
    );
    await sql('update cartulary.applications set generation = generation + 1 where id = $1', [app.id]);
    await sql(`update app_${app.id}.fence set generation = generation + 1`);
    for (const search of ['unicorn', SIX, '-harbour unicorn']) assert.equal(await found(search), 0, search);
    assert.equal(await found('harbour'), 1);
    assert.equal(await found('-unicorn'), 2);
  });
});
