// A search that waits for its turn while a definition is published does not find by the old one in what the new one has.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { publishApplication, string, type TestApplication } from '../support/application.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

describe('a search under way while a definition is published', () => {
  let server: TestServer;
  let app: TestApplication;

  before(async () => {
    server = await startTestServer();
    const columns = [{ name: 'Title', type: 'String', searchable: true }];
    app = await publishApplication(server, { collections: [{ name: 'Things', columns }] });
    const json = { values: { [app.ids.Things!.Title!]: string('harbour') } };
    assert.equal((await app.send('POST', app.records('Things'), { json })).status, 200);
  });
  after(async () => {
    await server.close();
  });

  it('is read anew by the new definition', async () => {
    const schema = `app_${app.id}`;
    const { sql } = server.database;
    const search = `${app.records('Things')}?search=Title%3Aharbour`;
    assert.equal((await app.send('GET', search)).body.length, 1);
    const holder = `begin; lock table ${schema}.${app.ids.Things!.id} in access exclusive mode;
      select pg_sleep(1.5);
      update cartulary.applications set generation = generation + 1,
        definition = replace(definition, '"searchable":true', '"searchable":false') where id = '${app.id}';
      update ${schema}.fence set generation = generation + 1; commit`;
    const held = sql(holder);
    await pause(500);
    const answer = await app.send('GET', search);
    await held;
    assert.equal(answer.status, 400, answer.text);
    assert.equal(answer.body.code, 'INVALID_SEARCH');
  });
});
