// A change and its activity entries are one unit, in the form for plain PostgreSQL and in the one for Citus.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { publishApplication, string, type TestApplication } from '../support/application.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

for (const engine of ['plain', 'citus'] as const) {
  describe(`changes and their entries, ${engine} form`, () => {
    let server: TestServer;
    let app: TestApplication;
    let code: string;

    before(async () => {
      server = await startTestServer({ engine });
      const columns = [{ name: 'Code', type: 'String', unique: true, searchable: true }];
      app = await publishApplication(server, { collections: [{ name: 'Things', columns }] });
      code = app.ids.Things!.Code!;
    });
    after(async () => {
      await server.close();
    });

    const values = (text: string) => ({ values: { [code]: string(text) } });

    /** `subType recordId` of the record entries, in the order of their keys. */
    async function entries(): Promise<string[]> {
      const rows = await server.database.sql(
        `select entry::json ->> 'subType', entry::json #>> '{extra,recordId}' from app_${app.id}.activity
         where entry::json ->> 'type' = 'record' order by id`,
      );
      return rows.map(([subType, recordId]) => `${subType} ${recordId}`);
    }

    it('writes one entry for each record that was changed and none for what was refused', async () => {
      const expected: string[] = [];
      const one = await app.send('POST', app.records('Things'), { json: values('one') });
      expected.push(`create ${one.body.id}`);
      const batch = await app.send('POST', app.records('Things'), { json: [values('two'), values('three')] });
      for (const record of batch.body) expected.push(`create ${record.id}`);

      const partly = await app.send('POST', app.records('Things'), {
        json: [values('four'), values('one'), values('five')],
      });
      assert.equal(partly.body.code, 'DUPLICATED_VALUES');
      expected.push(`create ${partly.body.params.insertedRecords[0].id}`);

      const path = app.records('Things', one.body.id);
      assert.equal((await app.send('PUT', path, { json: values('uno') })).status, 200);
      expected.push(`update ${one.body.id}`);
      assert.equal((await app.send('PUT', path, { json: { ...values('eins'), replace: false } })).status, 200);
      expected.push(`update ${one.body.id}`);
      const stale = { headers: { 'if-match': `"${one.body.hash}"` }, json: values('ichi') };
      assert.equal((await app.send('PUT', path, stale)).status, 412);
      assert.equal((await app.send('PUT', path, { json: values('two') })).body.code, 'DUPLICATED_VALUES');
      assert.equal((await app.send('DELETE', path, { headers: stale.headers })).status, 412);
      assert.equal((await app.send('DELETE', path)).status, 204);
      expected.push(`delete ${one.body.id}`);
      assert.equal((await app.send('DELETE', path)).status, 404);

      const upsert = (json: unknown) => app.send('PATCH', `${app.records('Things')}/upsert/${code}`, { json });
      for (const subType of ['create', 'update']) expected.push(`${subType} ${(await upsert(values('six'))).body.id}`);
      const upserted = await upsert([values('seven'), values('six'), values('seven')]);
      const subTypes = ['create', 'update', 'update'];
      for (const [index, record] of upserted.body.entries()) expected.push(`${subTypes[index]} ${record.id}`);
      assert.equal((await upsert([{ values: {} }])).body.code, 'MISSING_UPSERT_KEY_VALUE');

      assert.deepEqual(await entries(), expected);
    });

    it('writes no entry of creates that come with a stale definition', async () => {
      const before = await entries();
      const moveFence = (by: number) =>
        server.database.sql(`update app_${app.id}.fence set generation = generation + ${by}`);
      await moveFence(1);
      for (const json of [values('late'), [values('later'), values('latest')]]) {
        assert.equal((await app.send('POST', app.records('Things'), { json })).status, 503);
      }
      await moveFence(-1);
      assert.deepEqual(await entries(), before);
    });
  });
}
