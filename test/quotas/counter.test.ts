// The counters of several nodes on one database, each with a lease of its own, without servers.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { PreparedApplication } from '../../src/domain/definition/application.ts';
import type { Observation } from '../../src/events/events.ts';
import { Fault, fault } from '../../src/faults.ts';
import { Quotas } from '../../src/gate/quotas/quota.ts';
import { RequestScope } from '../../src/request/request-scope.ts';
import { takenByGroup } from '../../src/store/applications/quotas.ts';
import { Database } from '../../src/store/database/database.ts';
import { publishApplication } from '../support/application.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';

const NOON = Date.parse('2026-03-02T12:00:00.000Z');
const GROUP = 'records-read';
/** So long that nothing is given back for idleness alone. */
const NEVER_MS = 1_000_000;

describe('the counter of a node', () => {
  let server: TestServer;
  let database: Database;
  let applications = 0;
  const opened: Quotas[] = [];

  before(async () => {
    server = await startTestServer();
    const { connection } = server.database;
    database = Database.open({ connection, connectionsMax: 6, onConnectionError: () => undefined });
  });
  after(async () => {
    for (const quotas of opened) await quotas.close();
    await database.close();
    await server.close();
  });

  const open = (idleMs = NEVER_MS, given: Partial<{ database: Database; now: () => number }> = {}) => {
    const told: Observation[] = [];
    const observe = (observation: Observation) => void told.push(observation);
    const quotas = new Quotas({ database, now: () => NOON, observe, ...given }, idleMs);
    opened.push(quotas);
    return { quotas, told };
  };
  const application = async (quota: number) => {
    applications += 1;
    const { id } = await publishApplication(server, { name: `Count ${applications}`, collections: [] });
    const limited = (limit: number) =>
      ({ id, definition: { plan: 'custom', limits: { [GROUP]: limit } } }) as unknown as PreparedApplication;
    const taken = async () => (await takenByGroup(database.application(id), NOON)).get(GROUP);
    return { id, app: limited(quota), limited, taken };
  };
  const take = async (quotas: Quotas, app: PreparedApplication, scope = new RequestScope('x', 30_000)) => {
    await quotas.take(scope, app, GROUP);
    return scope;
  };
  const isRefusal = (error: unknown) => error instanceof Fault && error.code === 'TOO_MANY_REQUESTS';

  it('waits for the database once per lease', async () => {
    const { quotas, told } = open();
    const { app } = await application(1000);
    let waited = 0;
    for (let count = 0; count < 100; count++) {
      const waiting = quotas.take(new RequestScope('x', 30_000), app, GROUP);
      if (waiting !== undefined) waited += 1;
      await waiting;
    }
    assert.equal(waited, 3, 'leases of 50, 47 and 45');
    assert.deepEqual(
      told.map((observation) => (observation.event === 'quota.leased' ? observation.granted : observation.event)),
      [50, 47, 45],
    );
  });

  it('returns an idle lease, and takes a new one', async () => {
    const { quotas } = open(1_000);
    const { app, taken } = await application(1000);
    await take(quotas, app);
    assert.equal(await taken(), 50);
    await until('the rest to be given back', async () => (await taken()) === 1);
    const { headers } = await take(quotas, app);
    assert.equal(headers.ratelimit, `"${GROUP}";r=998;t=3600`);
  });

  it('returns its lease when it is closed', async () => {
    const { quotas } = open();
    const { app, taken } = await application(1000);
    for (let count = 0; count < 7; count++) await take(quotas, app);
    await quotas.close();
    assert.equal(await taken(), 7);
  });

  it('returns its lease when it is recalled, also one that is being taken', async () => {
    const { quotas } = open();
    const { id, app, taken } = await application(1000);
    await take(quotas, app);
    quotas.recall(id, 'records-write');
    quotas.recall('p0', GROUP);
    assert.equal(await taken(), 50);
    quotas.recall(id, GROUP);
    await until('the rest to be given back', async () => (await taken()) === 1);
    const waiting = take(quotas, app);
    await new Promise((resolve) => setImmediate(resolve));
    quotas.recall(id, GROUP);
    await waiting;
    await until('the rest to be given back', async () => (await taken()) === 2);
  });

  it('does not count a request that has its reply already', async () => {
    const { quotas } = open();
    const { app, taken } = await application(10);
    const gone = Array.from({ length: 5 }, () => new RequestScope('x', 30_000));
    const waiting = gone.map((scope) => take(quotas, app, scope));
    const staying = take(quotas, app);
    for (const scope of gone) scope.cancel(fault('UNAVAILABLE', { reason: 'deadline' }));
    for (const one of waiting) await assert.rejects(one, (error: Fault) => error.code === 'UNAVAILABLE');
    assert.equal((await staying).headers.ratelimit, `"${GROUP}";r=9;t=3600`);
    await quotas.close();
    assert.equal(await taken(), 1);
  });

  it('releases waiting requests that are cancelled, and stops asking the database after some seconds', async () => {
    const { quotas } = open();
    const { id, app } = await application(10);
    const holder = await database.application(id).transaction(async (tx) => {
      await tx.rows(`lock table ${tx.schema}.quotas in access exclusive mode`);
      const leaving = new RequestScope('x', 30_000);
      const waiting = take(quotas, app, leaving);
      const staying = take(quotas, app);
      leaving.cancel(fault('UNAVAILABLE', { reason: 'deadline' }));
      await assert.rejects(waiting, (error: Fault) => error === leaving.signal.reason);
      await assert.rejects(staying, (error: Fault) => error.code === 'UNAVAILABLE');
      // A lease that the database grants before the statement is cancelled is lost for the hour.
      await until('the lease to be stopped', async () => {
        const waiting = `select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like $1`;
        return (await database.system.rows(waiting, [`insert into ${tx.schema}.quotas%`])).length === 0;
      });
      return 'held';
    });
    assert.equal(holder, 'held');
    assert.equal((await take(quotas, app)).headers.ratelimit, `"${GROUP}";r=9;t=3600`, 'nothing was lost');
  });

  it('uncounts a request as long as the same count is running', async () => {
    let now = NOON;
    const { quotas } = open(NEVER_MS, { now: () => now });
    const { id, app, limited, taken } = await application(100);
    const scopes: RequestScope[] = [];
    for (let count = 0; count < 7; count++) scopes.push(await take(quotas, app));
    const uncount = () => {
      const scope = scopes.shift()!;
      scope.returnQuota?.(scope);
      assert.deepEqual([scope.returnQuota, scope.group], [undefined, undefined]);
      return scope;
    };
    assert.equal(scopes[0]?.headers.ratelimit, `"${GROUP}";r=99;t=3600`);
    assert.equal(uncount().headers.ratelimit, `"${GROUP}";r=94;t=3600`, 'within the second lease');
    assert.equal((await take(quotas, app)).headers.ratelimit, `"${GROUP}";r=93;t=3600`);
    quotas.recall(id, GROUP);
    await until('the rest to be given back', async () => (await taken()) === 7);
    uncount();
    await until('one more to be given back', async () => (await taken()) === 6);
    await take(quotas, limited(8));
    uncount();
    await until('one more to be given back', async () => (await taken()) === 6);
    now += 3_600_000;
    uncount();
    await take(quotas, limited(8));
    uncount();
    assert.equal(await taken(), 1, 'the count belongs to another hour');
  });

  it('discards a lease that was being taken when the quota changed', async () => {
    const { quotas } = open();
    const { app, limited, taken } = await application(1000);
    const first = take(quotas, app);
    const second = take(quotas, limited(2));
    const { headers } = await second;
    assert.equal(headers['ratelimit-policy'], `"${GROUP}";q=2;w=3600`);
    await first;
    await assert.rejects(take(quotas, limited(2)), isRefusal);
    assert.equal(await taken(), 2);
  });

  it('reports once that nothing is left, and refuses at once for a short while', async () => {
    const { quotas, told } = open();
    const { app } = await application(1);
    await take(quotas, app);
    await assert.rejects(take(quotas, app), isRefusal);
    for (let count = 0; count < 5; count++) {
      assert.throws(() => quotas.take(new RequestScope('x', 30_000), app, GROUP), isRefusal);
    }
    assert.equal(told.filter(({ event }) => event === 'quota.exhausted').length, 1);
  });

  it('counts a request that waited while the hour ended in the next hour', async () => {
    let now = NOON - 1;
    const { quotas } = open(NEVER_MS, { now: () => now });
    const { app, taken } = await application(10);
    const waiting = take(quotas, app);
    await new Promise((resolve) => setImmediate(resolve));
    now = NOON;
    const { headers } = await waiting;
    assert.equal(headers.ratelimit, `"${GROUP}";r=9;t=3600`);
    assert.equal(await taken(), 1);
  });

  it('passes on that the database is unavailable', async () => {
    const connection = { host: '127.0.0.1', port: 1, user: 'x', database: 'x' };
    const away = Database.open({ connection, connectionsMax: 2, onConnectionError: () => undefined });
    const { quotas } = open(NEVER_MS, { database: away });
    const { app } = await application(10);
    for (let count = 0; count < 2; count++) {
      await assert.rejects(take(quotas, app), (error: Fault) => error.code === 'UNAVAILABLE');
    }
    await away.close();
  });
});
