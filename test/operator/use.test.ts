// What applications hold and how much they are used: measured, counted by every server, and kept for thirty days.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';
import type { Observation } from '../../src/events/events.ts';
import { fault } from '../../src/faults.ts';
import { keepUse } from '../../src/operations/applications/use.ts';
import { RequestScope } from '../../src/request/request-scope.ts';
import { CountedRequests } from '../../src/store/applications/counted-requests.ts';
import { Database } from '../../src/store/database/database.ts';
import { publishApplication, string, type TestApplication } from '../support/application.ts';
import { isCitus } from '../support/citus.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';

const COLLECTIONS = [{ name: 'Things', columns: [{ name: 'Title', type: 'String' }] }];
const HOUR_MS = 60 * 60_000;
const onCitus = await isCitus();

describe('the use of applications', () => {
  let stored: TestDatabase;
  let server: TestServer;
  let database: Database;
  let app: TestApplication;

  before(async () => {
    stored = await createDatabase();
    server = await startTestServer({ database: stored });
    const connection = { connection: stored.connection, connectionsMax: 2, requestMs: 30_000 };
    database = Database.open({ ...connection, onConnectionError: () => undefined });
    app = await publishApplication(server, { collections: COLLECTIONS });
  });
  after(async () => {
    await database.close();
    await server.close();
    await stored.drop();
  });

  const useOf = async ({ id }: { id: string }) => (await server.operator('GET', `/applications/${id}/use`)).body;
  const requests = (status: number, tenant: string): Observation => {
    const scope = new RequestScope('1', 1000);
    scope.tenant = tenant;
    return { event: 'request', requestId: '1', method: 'GET', route: '/', status, milliseconds: 1, scope };
  };

  it('has their records and bytes, measured anew after a minute', async () => {
    const values = { [app.ids.Things!.Title!]: string('a') };
    for (let made = 0; made < 3; made++) await app.send('POST', app.records('Things'), { json: { values } });
    const uploaded = await app.send('POST', `/collections/${app.ids.Things!.id}/attachments`, {
      raw: 'twelve bytes',
      headers: { 'content-type': 'text/plain' },
    });
    assert.equal(uploaded.status, 200, uploaded.text);
    const { size } = await useOf(app);
    assert.deepEqual([size.records, size.recordsExact, size.attachments, size.attachmentBytes], [3, true, 1, 12]);
    assert.ok(size.databaseBytes > 8192, `${size.databaseBytes}`);
    await app.send('POST', app.records('Things'), { json: { values } });
    assert.equal((await useOf(app)).size.records, 3, 'it is not a minute old');
    await stored.sql('update cartulary.application_sizes set measured_at = $1', [new Date(Date.now() - 120_000)]);
    assert.equal((await useOf(app)).size.records, 4);
    assert.equal((await server.operator('GET', `/applications/p${'0'.repeat(26)}/use`)).status, 404);
  });

  it('takes the estimate of the database for large collections', {
    skip: onCitus && 'the estimate is that of the table on the worker',
  }, async () => {
    const large = await publishApplication(server, { name: 'Large', collections: COLLECTIONS });
    const table = `app_${large.id}.${large.ids.Things!.id}`;
    await stored.sql(`update pg_class set reltuples = 1234567 where oid = '${table}'::regclass`);
    const [measured] = (await server.operator('GET', '/use')).body.filter(
      ({ applicationId }: { applicationId: string }) => applicationId === large.id,
    );
    assert.deepEqual([measured.size.records, measured.size.recordsExact], [1_234_567, false], 'also for the list');
  });

  it('counts the requests of every server, by the hour', async () => {
    const busy = await publishApplication(server, { name: 'Busy', collections: COLLECTIONS });
    const counted = new CountedRequests();
    for (const status of [200, 204, 304, 404, 429, 500, 503]) counted.observe(requests(status, busy.id));
    // Unknown applications are no tenants; one that is gone meanwhile is left out.
    counted.observe(requests(401, ''));
    counted.observe(requests(200, `p${'0'.repeat(26)}`));
    const now = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;
    await counted.write(database.system, now - HOUR_MS);
    counted.observe(requests(200, busy.id));
    await counted.write(database.system, now + 59 * 60_000);
    await counted.write(database.system, now);
    const other = new CountedRequests();
    other.observe(requests(400, busy.id));
    await other.write(database.system, now);
    assert.deepEqual((await useOf(busy)).hours, [
      { hour: new Date(now - HOUR_MS).toISOString(), requests: 7, refused: 2, failed: 2 },
      { hour: new Date(now).toISOString(), requests: 2, refused: 1, failed: 0 },
    ]);
    const [listed] = (await server.operator('GET', '/use')).body.filter(
      ({ applicationId }: { applicationId: string }) => applicationId === busy.id,
    );
    assert.deepEqual([listed.requests, listed.refused, listed.failed], [9, 3, 2]);
  });

  it('counts as failed what a person would call so, not what is to come again or was not waited for', async () => {
    const hurried = await publishApplication(server, { name: 'Hurried', collections: COLLECTIONS });
    const counted = new CountedRequests();
    for (const reason of ['busy', 'left', 'database', 'storage', 'deadline']) {
      const observation = requests(503, hurried.id) as Extract<Observation, { event: 'request' }>;
      observation.scope!.problem = fault('UNAVAILABLE', { reason });
      counted.observe(observation);
    }
    const now = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;
    await counted.write(database.system, now);
    const hour = new Date(now).toISOString();
    assert.deepEqual((await useOf(hurried)).hours, [{ hour, requests: 5, refused: 1, failed: 3 }]);
  });

  it('keeps what could not be written for the next time', async () => {
    const counted = new CountedRequests();
    counted.observe(requests(200, app.id));
    const refusing = {
      write: () => Promise.reject(new Error('away')),
    } as unknown as Parameters<CountedRequests['write']>[0];
    await assert.rejects(counted.write(refusing, Date.now()), /away/);
    counted.observe(requests(500, app.id));
    const at = Date.UTC(2026, 0, 1);
    await counted.write(database.system, at);
    const rows = await stored.sql('select requests, refused, failed from cartulary.request_counts where hour = $1', [
      new Date(at),
    ]);
    assert.deepEqual(rows, [[2, 0, 1]]);
  });

  it('is written by a server that stops', async () => {
    const node = await startTestServer({ database: stored });
    const quiet = await publishApplication(node, { name: 'Quiet', collections: COLLECTIONS });
    await node.send('GET', `/v1/${quiet.id}`, { token: quiet.admin.token });
    await node.send('GET', `/v1/${quiet.id}`, { token: 'wrong' });
    await node.close();
    const [hour] = (await useOf(quiet)).hours;
    assert.deepEqual([hour?.requests, hour?.refused, hour?.failed], [2, 1, 0]);
  });

  it('is measured by a job, which forgets what is older than thirty days', async () => {
    const old = new CountedRequests();
    old.observe(requests(200, app.id));
    await old.write(database.system, Date.now() - 31 * 24 * HOUR_MS);
    await stored.sql('delete from cartulary.application_sizes');
    const observed: Observation[] = [];
    const context = { database, now: Date.now, observe: (event: Observation) => observed.push(event) };
    await keepUse(context, new AbortController().signal);
    assert.deepEqual(observed, []);
    const [[measured, counted] = []] = await stored.sql(
      `select (select count(*)::int from cartulary.application_sizes) = (select count(*)::int from cartulary.applications),
         (select count(*)::int from cartulary.request_counts where hour < $1)`,
      [new Date(Date.now() - 30 * 24 * HOUR_MS)],
    );
    assert.deepEqual([measured, counted], [true, 0]);
  });

  /** Begins the work while the removal of the application is not yet committed, and commits it once the work waits. */
  async function duringRemoval<Result>({ id }: { id: string }, work: () => Promise<Result>): Promise<Result> {
    const remover = new pg.Client(stored.connection);
    await remover.connect();
    try {
      await remover.query('begin');
      await remover.query('delete from cartulary.applications where id = $1', [id]);
      const going = work();
      going.catch(() => undefined);
      const waits = `select count(*)::int from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
      await until('the work to meet the removal', async () => Number((await stored.sql(waits))[0]?.[0]) > 0);
      await remover.query('commit');
      return await going;
    } finally {
      await remover.end();
    }
  }

  it('is listed while an application is being removed', async () => {
    const going = await publishApplication(server, { name: 'Going', collections: COLLECTIONS });
    await stored.sql('delete from cartulary.application_sizes where application_id = $1', [going.id]);
    const { status, text } = await duringRemoval(going, () => server.operator('GET', '/use'));
    assert.equal(status, 200, text);
  });

  it('is written while an application is being removed, for the others', async () => {
    const going = await publishApplication(server, { name: 'Going too', collections: COLLECTIONS });
    const staying = await publishApplication(server, { name: 'Staying', collections: COLLECTIONS });
    const counted = new CountedRequests();
    for (const { id } of [going, staying]) counted.observe(requests(200, id));
    const at = Date.UTC(2026, 1, 1);
    await duringRemoval(going, () => counted.write(database.system, at));
    const rows = await stored.sql('select application_id, requests from cartulary.request_counts where hour = $1', [
      new Date(at),
    ]);
    assert.deepEqual(rows, [[staying.id, 1]]);
  });
});
