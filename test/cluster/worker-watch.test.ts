// How the watch over the workers of a cluster asks for them. The database is plain: a table and a function with the names of
// Citus' own say which workers there are, and which of them hang.

import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { WorkerWatch } from '../../src/store/cluster/worker-watch.ts';
import type { WorkerState } from '../../src/store/cluster/workers.ts';
import { Database } from '../../src/store/database/database.ts';
import { isCitus } from '../support/citus.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { until } from '../support/until.ts';

const WORKERS = [1, 2, 3];
const HUNG = [2, 3];
/** A probe of a hung worker takes two seconds. */
const AT_ONCE_MS = 1_000;

describe('the watch over workers', { skip: (await isCitus()) ? 'needs a plain PostgreSQL' : false }, () => {
  let server: TestDatabase;
  let database: Database;
  let watch: WorkerWatch;
  let changes: [number, boolean][];
  let probers: number;

  before(async () => {
    server = await createDatabase();
    await server.sql(
      `create table pg_dist_node (nodeid integer, groupid integer, nodename text, nodeport integer, noderole text,
         isactive boolean, shouldhaveshards boolean, metadatasynced boolean)`,
    );
    for (const id of WORKERS) {
      await server.sql('insert into pg_dist_node values ($1, $1, $2, $1, $3, true, true, true)', [
        id,
        'worker.example',
        'primary',
      ]);
    }
    await server.sql('create table hung (port integer)');
    await server.sql(
      `create function citus_check_connection_to_node(host text, port integer) returns boolean language plpgsql as
       $$ begin
         if exists (select from hung where hung.port = $2) then perform pg_sleep(60); end if;
         return true;
       end $$`,
    );
  });
  after(() => server.drop());
  beforeEach(() => {
    changes = [];
    const open = (connectionsMax: number) =>
      Database.open({ connection: server.connection, connectionsMax, onConnectionError: () => undefined });
    // A lane, and one connection for everything else.
    database = open(2);
    const onChange = ({ id, reachable }: WorkerState) => void changes.push([id, reachable]);
    probers = 0;
    const openProber = () => {
      probers += 1;
      return open(1);
    };
    watch = new WorkerWatch({ system: database.system, openProber, onChange });
  });
  afterEach(async () => {
    await watch.stop();
    await database.close();
  });

  const away = () => WORKERS.filter((id) => watch.isAway({ id }));

  it('takes no connection that the system needs while workers hang', async () => {
    await watch.start();
    assert.deepEqual([away(), changes], [[], []]);
    await server.sql('insert into hung select unnest($1::int[])', [HUNG]);
    let longestMs = 0;
    let probesAtOnce = 0;
    await until('both to be away', async () => {
      const begin = performance.now();
      await database.system.transaction((tx) => tx.rows('select 1'));
      longestMs = Math.max(longestMs, performance.now() - begin);
      const probing = await server.sql(
        `select from pg_stat_activity where datname = current_database() and state = 'active'
           and query like 'select citus_check%'`,
      );
      probesAtOnce = Math.max(probesAtOnce, probing.length);
      return away().length === HUNG.length;
    });
    assert.ok(longestMs < AT_ONCE_MS, `the system waited ${longestMs} ms`);
    assert.equal(probesAtOnce, HUNG.length, 'both are found out together');
    assert.ok(probesAtOnce <= probers);
    await server.sql('delete from hung');
    await until('both to be back', () => away().length === 0);
    const inOrder = [...changes].sort(([one], [other]) => one - other);
    assert.deepEqual(
      inOrder,
      HUNG.flatMap((id) => [false, true].map((reachable) => [id, reachable])),
    );
    assert.deepEqual(
      watch.states?.map(({ id }) => id),
      WORKERS,
    );
  });
});
