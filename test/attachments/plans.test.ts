// Who holds an attachment is asked of an index, in a collection of many records and whatever the plan cache does: the
// planner cannot know how few hold one, and a plan that reads the table would make each download cost what the table has.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';
import { publishApplication, type TestApplication } from '../support/application.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const RECORDS = 30_000;

describe('the plan for fetching an attachment', () => {
  let server: TestServer;
  let app: TestApplication;

  before(async () => {
    server = await startTestServer();
    const columns = [
      { name: 'File', type: 'Attachment' },
      { name: 'Files', type: 'Array', scheme: { element: { type: 'Attachment' } } },
    ];
    const readAccessType = 'creatorOnly';
    app = await publishApplication(server, { collections: [{ name: 'Things', columns, readAccessType }] });
    const { id, File, Files } = app.ids.Things!;
    const attachment = `'a' || lpad(n::text, 26, '0')`;
    const schema = `app_${app.id}`;
    await server.database.sql(`insert into ${schema}.attachments
        (id, collection_id, name, content_type, size, hash, state, created_by, created_at, uploaded_at, received)
      select ${attachment}, '${id}', 'n', 'text/plain', 1, 'h', 'available', 'u0000000', now(), now(), 1
      from generate_series(1, ${RECORDS}) n`);
    await server.database.sql(`insert into ${schema}.${id} (id, rec, hash, created_by, created_name, created_at,
        updated_by, updated_name, updated_at, a_${File}, a_${Files})
      select 'r' || lpad(n::text, 26, '0'), repeat('x', 500), 'h', 'u000000' || (n % 5), 'n', now(), 'u', 'n', now(),
        jsonb_build_array(${attachment}), case when n % 3 = 0 then jsonb_build_array(${attachment}) end
      from generate_series(1, ${RECORDS}) n`);
    await server.database.sql(`analyze ${schema}.${id}, ${schema}.attachments`);
  });
  after(() => server.close());

  for (const mode of ['force_custom_plan', 'force_generic_plan']) {
    it(`looks holders up in their indexes with ${mode}`, async () => {
      const reader = await app.addPerson(mode);
      const before = await scans();
      const connection = { ...server.database.connection, options: `-c plan_cache_mode=${mode}` };
      const other = await startTestServer({ connection, database: server.database });
      try {
        for (const n of [RECORDS - 1, 7, 15_000]) {
          const path = `/v1/${app.id}/collections/${app.ids.Things!.id}/attachments/a${String(n).padStart(26, '0')}`;
          const reply = await other.send('GET', path, { token: reader.token });
          assert.equal(reply.status, 404, reply.text);
        }
      } finally {
        await other.close();
      }
      const now = await scans();
      assert.equal(now.table, before.table, 'the table of records was read from its beginning');
      assert.ok(now.indexes > before.indexes, 'no index was asked');
    });
  }

  /** How often the database has read the table of records whole, and asked the indexes of what they hold. */
  async function scans(): Promise<{ table: number; indexes: number }> {
    const client = new pg.Client(server.database.connection);
    await client.connect();
    try {
      // Connections that have ended tell what they did at once.
      await client.query('select pg_stat_clear_snapshot()');
      const table = await client.query('select seq_scan::int from pg_stat_user_tables where relid = $1::regclass', [
        `app_${app.id}.${app.ids.Things!.id}`,
      ]);
      const indexes = await client.query(
        `select sum(idx_scan)::int from pg_stat_user_indexes where relid = $1::regclass and indexrelname like '%\\_a\\_%'`,
        [`app_${app.id}.${app.ids.Things!.id}`],
      );
      return { table: Number(Object.values(table.rows[0])[0]), indexes: Number(Object.values(indexes.rows[0])[0]) };
    } finally {
      await client.end();
    }
  }
});
