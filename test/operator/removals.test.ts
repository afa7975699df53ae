// Removing applications while they are used and others are published: whatever order requests lock tables in, a removal
// ends none of them as the victim of a deadlock.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { publishApplication, string, type TestApplication } from '../support/application.ts';
import { everywhere } from '../support/nodes.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';

/** Longer than PostgreSQL waits before it looks for a deadlock: the one that waits first does not find it any more. */
const LOOKED_MS = 1_300;
const AT_ONCE = 4;
const collections = ['Things', 'Others'].map((name) => ({ name, columns: [{ name: 'Name', type: 'String' }] }));

describe('the removal of an application', () => {
  let server: TestServer;

  before(async () => {
    server = await startTestServer({ connectionsMax: 16 });
  });
  after(() => server.close());

  const remove = async ({ id }: TestApplication) => (await server.operator('DELETE', `/applications/${id}`)).status;
  const deadlocks = async () => {
    const rows = await server.database.sql(
      'select deadlocks::int from pg_stat_database where datname = current_database()',
    );
    return rows[0]?.[0];
  };

  for (const held of ['users', 'activity', 'attachments', 'idempotency_keys']) {
    it(`lets a transaction that has used ${held} go on with every other table`, async () => {
      const app = await publishApplication(server, { collections });
      const schema = `app_${app.id}`;
      const rows = await server.database.sql('select tablename from pg_tables where schemaname = $1', [schema]);
      const other = new pg.Client(server.database.connection);
      await other.connect();
      try {
        await other.query('begin');
        await other.query(`select from ${schema}.${held} for key share`);
        const removal = remove(app);
        await until('the removal waits', async () => {
          const waiting = await everywhere(server.database, 'select from pg_locks where not granted');
          return waiting.length > 0;
        });
        await pause(LOOKED_MS);
        for (const [table] of rows) await other.query(`select from ${schema}.${table}`);
        await other.query('commit');
        assert.equal(await removal, 204);
      } finally {
        await other.end();
      }
    });
  }

  it('succeeds beside others, beside publishings, and beside requests to all of them', async () => {
    const applications: TestApplication[] = [];
    for (let n = 0; n < AT_ONCE * 2; n++) applications.push(await publishApplication(server, { collections }));
    const [removed, published] = [applications.slice(0, AT_ONCE), applications.slice(AT_ONCE)];
    let isOver = false;
    const use = async (app: TestApplication) => {
      const statuses = new Set<number>();
      for (let round = 0; !isOver && round < 5_000; round++) {
        const json = { values: { [app.ids.Things!.Name!]: string(`name ${round}`) } };
        statuses.add((await app.send('POST', app.records('Things'), { json })).status);
        statuses.add((await app.send('GET', app.records('Others'))).status);
      }
      return [...statuses];
    };
    const uses = applications.flatMap((app) => [use(app), use(app)]);
    const publish = async ({ id }: TestApplication, round: number) => {
      const columns = [{ name: 'Name', type: 'String', searchable: round % 2 === 0 }];
      const document = { id, name: 'Test', activityLogEnabled: true, collections: [{ name: 'Things', columns }] };
      const parameters = '?allowDataLoss=true';
      return (await server.operator('POST', `/applications${parameters}`, document)).status;
    };
    const publishAll = async (app: TestApplication) => {
      const statuses: number[] = [];
      for (let round = 0; round < 3; round++) statuses.push(await publish(app, round));
      return statuses;
    };
    const [removals, publishings] = await Promise.all([
      Promise.all(removed.map(remove)),
      Promise.all(published.map(publishAll)),
    ]);
    isOver = true;
    assert.deepEqual(removals, Array(AT_ONCE).fill(204));
    assert.deepEqual(publishings.flat(), Array(AT_ONCE * 3).fill(200));
    for (const statuses of await Promise.all(uses)) {
      const expected = [200, 401, 404];
      assert.ok(
        statuses.every((status) => expected.includes(status)),
        `${statuses}`,
      );
    }
    // A cluster counted some, and what met one was run again: there the replies are what counts.
    if (server.database.nodes.length === 1) assert.equal(await deadlocks(), 0);
  });
});
