// A Citus cluster of which a worker is away. Run where CARTULARY_TEST_DATABASE_URL names a coordinator (npm run test:citus).

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Observation } from '../../src/events/events.ts';
import { publishApplication, string, type TestApplication } from '../support/application.ts';
import { isCitus } from '../support/citus.ts';
import { withClient } from '../support/client.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { scrape } from '../support/metrics.ts';
import { withMigrations } from '../support/migrations.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { schemaOf } from '../support/stored-records.ts';
import { until } from '../support/until.ts';

const COLLECTIONS = [{ name: 'Notes', columns: [{ name: 'Title', type: 'String' }] }];
const APPLICATIONS_MAX = 6;

describe('a cluster without one of its workers', {
  skip: (await isCitus()) ? false : 'this PostgreSQL is no Citus',
}, () => {
  let database: TestDatabase;
  let server: TestServer;
  const seen: Observation[] = [];
  const observe = (observation: Observation) => {
    seen.push(observation);
  };
  /** One on each worker. */
  const apps = new Map<number, TestApplication>();

  const workerOf = async (app: TestApplication): Promise<number> => {
    const rows = await database.sql(
      `select nodeid from pg_dist_shard join pg_dist_placement using (shardid) join pg_dist_node using (groupid)
       where logicalrelid = '${schemaOf(app.id)}.fence'::regclass`,
    );
    return Number(rows[0]?.[0]);
  };
  const readings = (app: TestApplication, to: TestServer = server) =>
    to.send('GET', `/v1/${app.id}${app.records('Notes')}`, { token: app.admin.token });

  before(async () => {
    database = await createDatabase();
    server = await startTestServer({ database, observe });
    for (let n = 0; n < APPLICATIONS_MAX && apps.size < 2; n++) {
      const app = await publishApplication(server, { name: `Notes ${n}`, collections: COLLECTIONS });
      apps.set(await workerOf(app), app);
    }
    assert.equal(apps.size, 2, 'applications lie on two workers');
  });
  after(async () => {
    await server.close();
    await database.drop();
  });

  it('has its system tables registered at the first start', async () => {
    const unregistered = await database.sql(
      `select relname from pg_class c where relnamespace = 'cartulary'::regnamespace and relkind = 'r'
         and not exists (select from pg_dist_partition where logicalrelid = c.oid)`,
    );
    assert.deepEqual(unregistered, []);
    const registered = seen.find(({ event }) => event === 'cluster.registered');
    assert.ok(registered !== undefined);
    const engine = seen.find(({ event }) => event === 'database.engine');
    assert.equal(engine?.event === 'database.engine' && engine.engine, 'citus');
  });

  it('serves the applications of the others while those of one wait', async () => {
    const all = [...apps.values()];
    for (let n = 0; n < APPLICATIONS_MAX && all.length < 4; n++) {
      all.push(await publishApplication(server, { name: `More ${n}`, collections: COLLECTIONS }));
    }
    const placed = await Promise.all(all.map(async (app) => ({ app, worker: await workerOf(app) })));
    const busy = placed.filter(({ worker }) => worker === placed[0]!.worker).map(({ app }) => app);
    const other = placed.find(({ worker }) => worker !== placed[0]!.worker)!.app;
    const note = (app: TestApplication) => ({ values: { [app.ids.Notes!.Title!]: string('a') } });
    const create = (app: TestApplication) => app.send('POST', app.records('Notes'), { json: note(app) });
    // Single creates would share statements, and so connections.
    const createTwo = (app: TestApplication) =>
      app.send('POST', app.records('Notes'), { json: [note(app), note(app)] });
    assert.ok(busy.length > 1);
    const waiting: ReturnType<typeof create>[] = [];
    await withClient(database.connection, async (client) => {
      await client.query('begin');
      for (const app of busy) {
        await client.query(`lock table ${schemaOf(app.id)}.${app.ids.Notes!.id} in access exclusive mode`);
        for (let n = 0; n < 8; n++) waiting.push(createTwo(app));
      }
      await until('they wait for connections', async () => {
        return (await scrape(server.address)).sum('cartulary_database_pool_waiting') > 0;
      });
      const created = await create(other);
      assert.equal(created.status, 200, created.text);
      assert.equal((await other.send('GET', other.records('Notes', created.body.id))).status, 200);
      await client.query('rollback');
    });
    assert.deepEqual(new Set((await Promise.all(waiting)).map(({ status }) => status)), new Set([200]));
  });

  it('tells the size of all nodes together', async () => {
    const [[own]] = (await database.sql('select pg_database_size(current_database())::float8')) as [[number]];
    const [[held]] = (await database.sql(
      "select sum(result::float8) from run_command_on_workers('select pg_database_size(current_database())')",
    )) as [[number]];
    let told = 0;
    await until('all workers to have told', async () => {
      told = (await scrape(server.address)).sum('cartulary_database_size_bytes');
      return told > 0;
    });
    // They may have grown since they were asked.
    assert.ok(told > own + held / 2 && told < 1.1 * (own + held), `${told} of ${own} and ${held}`);
  });

  /** Calls `work` while nothing listens where the coordinator looks for the worker. */
  async function withoutWorker(id: number, work: () => Promise<void>): Promise<void> {
    const [[port]] = (await database.sql('select nodeport from pg_dist_node where nodeid = $1', [id])) as [[number]];
    await database.sql('update pg_dist_node set nodeport = 1 where nodeid = $1', [id]);
    try {
      await work();
    } finally {
      await database.sql('update pg_dist_node set nodeport = $2 where nodeid = $1', [id, port]);
    }
  }

  it('serves the applications of the others, and starts', async () => {
    const [[lost, away], [, other]] = [...apps] as [[number, TestApplication], [number, TestApplication]];
    const sizeBefore = (await scrape(server.address)).sum('cartulary_database_size_bytes');
    await withoutWorker(lost, async () => {
      await until('it to be noticed', async () => seen.some(({ event }) => event === 'cluster.workerAway'));
      assert.equal((await readings(other)).status, 200);
      const again = await startTestServer({ database, observe });
      try {
        assert.deepEqual((await again.send('GET', '/readyz')).body, { status: 'ready', workers: 2, workersAway: 1 });
        const metrics = await scrape(again.address);
        assert.equal(metrics.sum('cartulary_database_worker_up'), 1);
        assert.equal(metrics.sum('cartulary_database_up'), 1);
        assert.ok(!/^cartulary_database_size_bytes /m.test(metrics.text), 'the sum of some nodes is not that of all');
        // Each node has about a third.
        assert.ok((await scrape(server.address)).sum('cartulary_database_size_bytes') > 0.9 * sizeBefore);
        assert.equal((await readings(other, again)).status, 200);
        const json = { values: { [other.ids.Notes!.Title!]: string('a') } };
        const written = await again.send('POST', `/v1/${other.id}${other.records('Notes')}`, {
          json,
          token: other.admin.token,
        });
        assert.equal(written.status, 200, written.text);
        assert.equal((await readings(away, again)).status, 503);
      } finally {
        await again.close();
      }
    });
    await until('it to be back', async () => seen.some(({ event }) => event === 'cluster.workerBack'));
    await until('its application to be served', async () => (await readings(away)).status === 200);
  });

  it('serves applications that a later version has to migrate when it is back: a change of tables needs every worker', async () => {
    const [[lost, away], [, other]] = [...apps] as [[number, TestApplication], [number, TestApplication]];
    const hasColours = async (app: TestApplication) => {
      const rows = await database.sql('select to_regclass($1) is not null', [`${schemaOf(app.id)}.colours`]);
      return rows[0]?.[0] === true;
    };
    const later = { 'application/9001_colours.sql': 'create table {{application}}.colours (colour text primary key);' };
    await withMigrations(later, async (migrations) => {
      const unmigrated = new Set<string>();
      let next: TestServer | undefined;
      try {
        await withoutWorker(lost, async () => {
          next = await startTestServer({
            ...{ database, migrations },
            observe: (observation) => {
              if (observation.event === 'cluster.unmigrated') unmigrated.add(observation.applicationId);
            },
          });
          for (const app of [away, other]) {
            assert.ok(unmigrated.has(app.id), 'the log names it');
            assert.equal((await readings(app, next)).status, 503);
            assert.equal(await hasColours(app), false);
          }
          // The servers of the version before go on.
          assert.equal((await readings(other)).status, 200);
        });
        for (const app of [away, other]) {
          await until('it is served', async () => (await readings(app, next)).status === 200);
          assert.ok(await hasColours(app), 'it was migrated at its first use');
        }
      } finally {
        await next?.close();
      }
    });
  });

  it('starts as a later version while an application is moved, and serves it after the move', async () => {
    const [[, moved], [, other]] = [...apps] as [[number, TestApplication], [number, TestApplication]];
    const later = { 'application/9002_sizes.sql': 'alter table {{application}}.quotas add column size integer;' };
    await withMigrations(later, async (migrations) => {
      const unmigrated = new Set<string>();
      let next: TestServer | undefined;
      try {
        await withClient(database.connection, async (mover) => {
          // The lock that a move has until its end.
          await mover.query('begin');
          await mover.query(`lock table ${schemaOf(moved.id)}.quotas in share update exclusive mode`);
          next = await startTestServer({
            ...{ database, migrations },
            observe: (observation) => {
              if (observation.event === 'cluster.unmigrated') unmigrated.add(observation.applicationId);
            },
          });
          assert.deepEqual([...unmigrated], [moved.id]);
          assert.equal((await readings(other, next)).status, 200);
          assert.equal((await readings(moved)).status, 200, 'the servers of the version before go on');
          await mover.query('rollback');
        });
        await until('it is served', async () => (await readings(moved, next)).status === 200);
      } finally {
        await next?.close();
      }
    });
  });
});
