// The tables of an application are found by what depends on its schema, and are the same as those that pg_class names.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { relationsIn, SYSTEM, schemaOf } from '../../src/store/database/schemas.ts';
import { publishApplication } from '../support/application.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

describe('the relations of a schema', () => {
  let database: TestDatabase;
  let server: TestServer;
  const schemas: string[] = [SYSTEM.schema];

  before(async () => {
    database = await createDatabase();
    server = await startTestServer({ database });
    const collections = [
      { name: 'Things', columns: [{ name: 'Code', type: 'String', unique: true, searchable: true }] },
    ];
    for (let n = 0; n < 2; n++) schemas.push(schemaOf((await publishApplication(server, { collections })).id));
  });
  after(async () => {
    await server.close();
    await database.drop();
  });

  const rows = (text: string, params: unknown[]) => database.sql(text, params);

  it('are all of them but indexes, and none of another', async () => {
    for (const schema of schemas) {
      const found = await rows(`select relname::text from pg_class where oid = any(${relationsIn('$1')}) order by 1`, [
        schema,
      ]);
      const there = await rows(
        `select relname::text from pg_class
         where relnamespace = $1::regnamespace and relkind not in ('i', 'I', 'c') order by 1`,
        [schema],
      );
      assert.ok(found.length > 10, `${found.length} in ${schema}`);
      assert.deepEqual(found, there);
    }
  });

  it('are none in a schema that is not there', async () => {
    assert.deepEqual(await rows(`select from pg_class where oid = any(${relationsIn('$1')})`, ['app_none']), []);
  });
});
