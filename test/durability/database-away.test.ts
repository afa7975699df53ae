// The database goes away under load, in all the ways in which it can, and comes back: clients get 503 and nothing else, no
// request waits beyond its time, and the server finds the database again by itself.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { Observation } from '../../src/events/events.ts';
import { publishApplication, type TestApplication } from '../support/application.ts';
import { databaseOf, type OwnPostgres, ownPostgres } from '../support/own-postgres.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { type Load, steadyLoad } from './steady-load.ts';

const REQUEST_MS = 2_000;
const AWAY_MS = 10_000;
const RECOVERY_MS = 2_000;
const LOOPS = 8;
const CONNECTIONS_MAX = 12;

describe('a database', () => {
  let primary: OwnPostgres;
  let standby: OwnPostgres;
  let server: TestServer;
  let application: TestApplication;
  let load: Load;
  const told: Observation[] = [];
  const connected: string[] = [];
  const placeOf = (postgres: OwnPostgres) => `127.0.0.1:${postgres.connection.port}`;

  before(async () => {
    primary = await ownPostgres();
    standby = await primary.standby();
    await primary.start();
    const { port, user, database } = primary.connection;
    const hosts = `127.0.0.1:${port},127.0.0.1:${standby.connection.port}`;
    server = await startTestServer({
      database: databaseOf(primary),
      connection: { connectionString: `postgres://${user}@${hosts}/${database}?target_session_attrs=read-write` },
      connectionsMax: CONNECTIONS_MAX,
      requestMs: REQUEST_MS,
      observe: (observation) => {
        if (observation.event === 'database.connected') connected.push(observation.server);
        if (observation.event === 'job.failed' || observation.event === 'database.connectionLost')
          told.push(observation);
      },
    });
    application = await publishApplication(server, {
      collections: [{ name: 'Notes', columns: [{ name: 'Title', type: 'String' }] }],
    });
    load = steadyLoad(application, LOOPS);
  });
  after(async () => {
    await load.stop();
    await server.close();
    await primary.end('SIGKILL');
    await standby.end('SIGKILL');
  });

  /** `go` takes the database away and brings it back; resolves when it is back. */
  async function during(go: () => Promise<void>): Promise<void> {
    await pause(500);
    const seen = load.answers.length;
    assert.ok(
      load.answers.slice(-LOOPS).every(({ status }) => status === 200),
      'all is well before',
    );
    const from = performance.now();
    told.length = 0;
    connected.length = 0;
    await go();
    const back = performance.now();
    const lines = told.length;
    await pause(RECOVERY_MS + 1_000);
    const answers = load.answers.slice(seen);
    const worst = answers.find(({ status }) => status !== 200 && status !== 503);
    assert.equal(worst, undefined, worst?.text);
    const refused = answers.filter(({ status }) => status === 503);
    assert.ok(refused.length > LOOPS, 'it was away');
    assert.ok(refused.every(({ retryAfter }) => retryAfter !== null));
    const slowest = Math.max(...answers.map((answer) => answer.to - answer.from));
    assert.ok(slowest < REQUEST_MS + 1_500, `an answer took ${slowest} ms`);
    const late = answers.filter((answer) => answer.from > back + RECOVERY_MS);
    assert.ok(late.length > LOOPS);
    assert.deepEqual(
      late.filter(({ status }) => status !== 200),
      [],
      'all is well again',
    );
    assert.ok(lines < 40 + ((back - from) / 1_000) * 6, `${lines} lines of the log`);
  }

  it('that is stopped and started again', () =>
    during(async () => {
      await primary.end('SIGQUIT');
      await pause(AWAY_MS);
      assert.deepEqual(connected, [], 'nobody is told that it is there');
      await primary.start();
    }).then(() => {
      assert.deepEqual(new Set(connected), new Set([placeOf(primary)]));
      assert.ok(connected.length < LOOPS, `it is told ${connected.length} times that it is back`);
    }));

  it('that does not say a word for a while', () =>
    during(async () => {
      primary.freeze();
      await pause(AWAY_MS / 2);
      primary.thaw();
    }));

  it('whose standby takes its place has all that was acknowledged', async () => {
    await standby.start();
    await primary.sql("alter system set synchronous_standby_names = '*'");
    await primary.sql('select pg_reload_conf()');
    for (let look = 0; (await primary.sql('select sync_state from pg_stat_replication'))[0]?.[0] !== 'sync'; look++) {
      assert.ok(look < 200, 'the standby does not follow');
      await pause(50);
    }
    // What waits for the standby is never ended: it would be there for others to see, and be lost with the primary.
    const seen = load.answers.length;
    const visible = () => primary.sql(`select count(*)::int from app_${application.id}.${application.ids.Notes?.id}`);
    standby.freeze();
    await pause(200);
    const before = await visible();
    // They keep their connections, and no others are made in their place.
    await pause(3 * REQUEST_MS + 1_500);
    const [[sessions] = []] = await primary.sql(
      "select count(*)::int from pg_stat_activity where application_name = 'cartulary'",
    );
    assert.ok((sessions as number) <= CONNECTIONS_MAX, `${sessions} sessions`);
    assert.ok(load.answers.slice(seen).some(({ status }) => status === 503));
    assert.ok(
      load.answers.slice(-LOOPS / 2).some(({ status }) => status === 200),
      'reads go on',
    );
    assert.deepEqual(await visible(), before);
    standby.thaw();
    await pause(1_000);
    await during(async () => {
      await primary.end('SIGKILL');
      await pause(1_000);
      assert.deepEqual(await standby.sql('select pg_promote()'), [[true]]);
    });
    assert.equal(connected.at(-1), placeOf(standby));
    await load.stop();
    assert.ok(load.acknowledged.length > 100);
    const [[there] = []] = await standby.sql(
      `select count(*)::int from app_${application.id}.${application.ids.Notes?.id} where id in ('${load.acknowledged.join("','")}')`,
    );
    assert.equal(there, load.acknowledged.length);
    const latest = await application.send('GET', application.records('Notes', load.acknowledged.at(-1)));
    assert.equal(latest.status, 200);
    // Whose definitions it has cached is news again: it listens to the new one.
    const listeners = await standby.sql(
      `select count(*)::int from pg_stat_activity where application_name like 'cartulary listener %'`,
    );
    assert.deepEqual(listeners, [[1]]);
  });
});
