// A server on a Citus cluster that uses the data of an application on its worker. Run where CARTULARY_TEST_DATABASE_URL names a
// coordinator (npm run test:citus).

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Database } from '../../src/store/database/database.ts';
import { SearchIndexes } from '../../src/store/records/search-indexes.ts';
import { publishApplication, string, type TestApplication } from '../support/application.ts';
import { isCitus } from '../support/citus.ts';
import { withClient } from '../support/client.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { preparedApplication } from '../support/prepared.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { schemaOf } from '../support/stored-records.ts';
import { until } from '../support/until.ts';

const COLLECTIONS = [{ name: 'Notes', columns: [{ name: 'Title', type: 'String', unique: true, searchable: true }] }];
/** So many that their maintenance is due without a pause of the writers. */
const RECORDS_DUE = 4_000;

describe('a server that goes to the workers of a cluster itself', {
  skip: (await isCitus()) ? false : 'this PostgreSQL is no Citus',
}, () => {
  let database: TestDatabase;
  let server: TestServer;
  let app: TestApplication;

  before(async () => {
    database = await createDatabase();
    server = await startTestServer({ database, citusDirect: true });
    app = await publishApplication(server, { collections: COLLECTIONS });
  });
  after(async () => {
    await server.close();
    await database.drop();
  });

  const note = (title: string) => ({ values: { [app.ids.Notes!.Title!]: string(title) } });
  const create = (title: string, headers: Record<string, string> = {}) =>
    app.send('POST', app.records('Notes'), { json: note(title), headers });

  const workers = async () =>
    (await database.sql(
      `select nodeid, nodename, nodeport, exists (
         select from pg_dist_shard join pg_dist_placement using (shardid)
         where logicalrelid = $1::regclass and pg_dist_placement.groupid = pg_dist_node.groupid)
       from pg_dist_node where shouldhaveshards`,
      [`${schemaOf(app.id)}.fence`],
    )) as [number, string, number, boolean][];

  /** The sessions of the server there. */
  const sessionsOn = ([, host, port]: [number, string, number, boolean]) =>
    withClient({ ...database.connection, host, port }, async (client) => {
      const { rows } = await client.query(
        `select count(*)::int from pg_stat_activity where datname = current_database() and application_name = 'cartulary'`,
      );
      return rows[0].count as number;
    });

  /** The number of records when the collection was last analyzed; -1: never. */
  const analyzed = async () => {
    const count = "select reltuples::int from pg_class where oid = '%s'::regclass";
    const table = `${schemaOf(app.id)}.${app.ids.Notes!.id}`;
    const rows = await database.sql('select result::int from run_command_on_shards($1::regclass, $2)', [table, count]);
    return Number(rows[0]?.[0]);
  };

  it('reads and writes records there, with their entries', async () => {
    const created = await create('one');
    assert.equal(created.status, 200, created.text);
    const path = app.records('Notes', created.body.id);
    assert.equal((await app.send('GET', path)).status, 200);
    assert.equal((await app.send('PUT', path, { json: note('uno') })).status, 200);
    const batch = await app.send('POST', app.records('Notes'), { json: [note('two'), note('uno'), note('three')] });
    assert.equal(batch.body.code, 'DUPLICATED_VALUES');
    assert.equal((await app.send('DELETE', path)).status, 204);
    const entries = await database.sql(
      `select entry::json ->> 'subType' from ${schemaOf(app.id)}.activity where entry::json ->> 'type' = 'record' order by id`,
    );
    assert.deepEqual(entries.flat(), ['create', 'update', 'create', 'delete']);
    for (const worker of await workers()) {
      assert.equal((await sessionsOn(worker)) > 0, worker[3], `sessions on ${worker[2]}`);
    }
  });

  it('keeps on the coordinator what all servers have to see: keys, rights and definitions', async () => {
    const other = await startTestServer({ database });
    try {
      const key = { 'idempotency-key': '"once"' };
      const sends = [server, other].map((to) =>
        to.send('POST', `/v1/${app.id}${app.records('Notes')}`, {
          token: app.admin.token,
          json: note('keyed'),
          headers: key,
        }),
      );
      const replies = await Promise.all(sends);
      const again = await create('keyed', key);
      assert.equal(again.status, 200, again.text);
      for (const { status, body } of replies) assert.ok(status === 409 || body.id === again.body.id, String(status));

      const person = await app.addPerson('Somebody');
      const read = () => other.send('GET', `/v1/${app.id}${app.records('Notes')}`, { token: person.token });
      assert.equal((await read()).status, 200);
      assert.equal((await server.operator('DELETE', `/applications/${app.id}/users/${person.id}`)).status, 204);
      await until('the other server knows', async () => (await read()).status === 401);
    } finally {
      await other.close();
    }
  });

  it('measures an application, and merges and analyzes what was written to a search index', async () => {
    const { body } = await server.operator('GET', `/applications/${app.id}/use`);
    assert.ok(body.size.databaseBytes > 8192, JSON.stringify(body));
    const indexes = new SearchIndexes();
    const application = await preparedApplication(database, app.id);
    const collection = application.collections.get(app.ids.Notes!.id!)!;
    const table = { schema: schemaOf(app.id), collection, generation: application.generation };
    const own = Database.open({
      connection: database.connection,
      connectionsMax: 4,
      onConnectionError: () => undefined,
    });
    own.engine = 'citus';
    try {
      assert.equal(await analyzed(), -1);
      indexes.wrote(app.id, table, Array<number>(RECORDS_DUE).fill(100));
      await indexes.tidy(own);
      assert.ok((await analyzed()) >= 0);
    } finally {
      await own.close();
    }
  });

  it('follows an application that is moved while it is written to', async () => {
    let moving = true;
    const written: string[] = [];
    const writing = Array.from({ length: 3 }, async (_, n) => {
      for (let i = 0; moving; i++) {
        const reply = await create(`moved ${n} ${i}`);
        assert.equal(reply.status, 200, reply.text);
        written.push(reply.body.id);
      }
    });
    const target = (await workers()).find(([, , , holds]) => !holds)!;
    try {
      await database.sql('select citus_schema_move($1::regnamespace, $2::int)', [schemaOf(app.id), target[0]]);
      await until('the server goes to the other worker', async () => (await sessionsOn(target)) > 0);
    } finally {
      moving = false;
      await Promise.all(writing);
    }
    const [[found]] = (await database.sql(
      `select count(*)::int from ${schemaOf(app.id)}.${app.ids.Notes!.id} where id = any($1)`,
      [written],
    )) as [[number]];
    assert.equal(found, written.length);
  });
});
