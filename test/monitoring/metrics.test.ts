// /metrics: who may read it, what it says of what has happened, and that it says something whatever the state of things.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { exposition } from '../../src/monitoring/exposition.ts';
import type { Figure } from '../../src/monitoring/figures.ts';
import { publishApplication, string, type TestApplication } from '../support/application.ts';
import { readExposition, scrape } from '../support/metrics.ts';
import { OPERATOR_KEY, startTestServer, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';
import { tapWire } from '../support/wire-tap.ts';

const RECORD = '/v1/:applicationId/collections/:collectionId/records/:recordId';
const COUNT = 'cartulary_request_duration_seconds_count';
const DEFINITION = { collections: [{ name: 'A', columns: [{ name: 'T', type: 'String', unique: true }] }] };

describe('/metrics', () => {
  let server: TestServer;
  let app: TestApplication;
  const make = (text: string) =>
    app.send('POST', app.records('A'), { json: { values: { [app.ids.A?.T ?? '']: string(text) } } });

  before(async () => {
    server = await startTestServer({
      metricsEndpoint: { host: '127.0.0.1', port: 0 },
      authFailures: { account: 3, address: 1_000_000 },
      requestsAtOnce: 2,
    });
    app = await publishApplication(server, DEFINITION);
  });
  after(() => server.close());

  it('counts requests by operation and status, and what they asked of the database', async () => {
    const before = await scrape(server.address);
    const made = await make('counted');
    const path = app.records('A', made.body.id);
    for (const status of [200, 200, 404]) {
      const reply = await app.send('GET', status === 200 ? path : app.records('A', `r${'0'.repeat(26)}`));
      assert.equal(reply.status, status, reply.text);
    }
    const after = await scrape(server.address);
    const grown = (name: string, labels?: Record<string, string>) => after.sum(name, labels) - before.sum(name, labels);
    assert.equal(grown(COUNT, { method: 'GET', route: RECORD, status: '200' }), 2);
    assert.equal(grown(COUNT, { method: 'GET', route: RECORD, status: '404' }), 1);
    const buckets = { method: 'GET', route: RECORD, status: '200', le: '+Inf' };
    assert.equal(grown('cartulary_request_duration_seconds_bucket', buckets), 2);
    const seconds = grown('cartulary_request_duration_seconds_sum', { route: RECORD });
    assert.ok(seconds > 0 && seconds < 30, `${seconds}`);
    assert.ok(grown('cartulary_database_statements_total') >= 4);
    assert.ok(grown('cartulary_database_statement_seconds_total') > 0);
    assert.ok(after.sum('cartulary_cache_lookups_total', { cache: 'tokens', result: 'hit' }) > 0);
    assert.ok(after.sum('cartulary_connections') >= 1);
  });

  it('counts against a quota what has one', async () => {
    const basic = await publishApplication(server, { ...DEFINITION, plan: 'basic', limits: { 'records-read': 2 } });
    const before = await scrape(server.address);
    for (const [of, path, status] of [
      [basic, '', 200],
      [basic, basic.records('A', `r${'0'.repeat(26)}`), 404],
      [basic, '', 429],
      [basic, '/management/users', 403],
      [app, '', 200],
    ] as const) {
      const reply = await of.send('GET', path);
      assert.equal(reply.status, status, reply.text);
    }
    const after = await scrape(server.address);
    const grown = (name: string, group: string) => after.sum(name, { group }) - before.sum(name, { group });
    const COUNTED = 'cartulary_quota_requests_total';
    assert.deepEqual([grown(COUNTED, 'records-read'), grown(COUNTED, 'management-read')], [2, 0]);
    assert.equal(grown('cartulary_quota_refused_total', 'records-read'), 1);
  });

  it('reports the state of the database, and what the process needs', async () => {
    const { sum, text } = await scrape(server.address);
    assert.equal(sum('cartulary_database_up'), 1);
    assert.match(text, /^cartulary_database_info\{version="\d+[^"]*",embedded="false"\} 1$/m);
    assert.ok(sum('cartulary_database_size_bytes') > 1_000_000);
    assert.ok(sum('cartulary_database_transactions_total', { outcome: 'committed' }) > 0);
    assert.ok(sum('cartulary_database_pool_connections') >= 2);
    assert.ok(sum('cartulary_hearing_age_seconds') < 5);
    assert.ok(sum('process_resident_memory_bytes') > 1_000_000);
    assert.ok(sum('nodejs_eventloop_lag_p99_seconds') >= 0);
    assert.match(text, /^cartulary_build_info\{version="[^"]+",node="v\d+[^"]+"\} 1$/m);
    await until('a job to have run', async () => (await scrape(server.address)).sum('cartulary_job_runs_total') > 0);
  });

  it('contains nothing that a client sent', async () => {
    const odd = 'q7x9odd';
    await server.send('GET', `/${odd}`);
    await server.send('GET', `/v1/${app.id}/collections/${odd}/records`, { token: odd });
    await server.send('PROPFIND', `/v1/${app.id}`, { headers: { 'x-odd': odd } });
    const { text, sum } = await scrape(server.address);
    for (const sent of [odd, app.id, app.admin.id, app.ids.A?.id ?? '', 'PROPFIND'])
      assert.ok(!text.includes(sent), sent);
    assert.ok(sum(COUNT, { method: 'other' }) >= 1);
    assert.ok(sum(COUNT, { route: 'none', status: '404' }) >= 1);
  });

  it('accepts only the operator’s key, slows down guesses of it, and has a port that needs none', async () => {
    const ask = async (authorization?: string) =>
      (await fetch(`${server.address}/metrics`, { headers: authorization ? { authorization } : {} })).status;
    assert.equal(await ask(), 401);
    assert.equal(await ask(`Bearer ${app.admin.token}`), 401);
    assert.deepEqual(
      [await ask('Bearer wrong'), await ask('Bearer wrong'), await ask('Bearer wrong')],
      [401, 401, 429],
    );
    assert.equal(await ask(`Bearer ${OPERATOR_KEY}`), 429, 'until the wait has passed, the right one too');
    await until('the wait to pass', async () => (await ask(`Bearer ${OPERATOR_KEY}`)) === 200);
    assert.equal((await server.send('POST', '/metrics', { raw: '' })).status, 405);
    assert.ok(
      (await scrape(server.address)).sum('cartulary_requests_refused_total', { reason: 'authentication' }) >= 1,
    );
    const open = server.metricsAddress ?? '';
    const { names } = await scrape(open, {} as { authorization: string });
    assert.deepEqual(names, (await scrape(server.address)).names);
    const statusOf = async (path: string, method = 'GET') => (await fetch(open + path, { method })).status;
    assert.deepEqual(
      [await statusOf('/v1'), await statusOf('/metrics', 'POST'), await statusOf('/metrics?a=b')],
      [404, 405, 200],
    );
  });

  it('replies while requests are queued, and says how many', async () => {
    const { connection } = server.database;
    const { default: pg } = await import('pg');
    const locker = new pg.Client(connection);
    await locker.connect();
    await locker.query('begin');
    await locker.query(`lock table app_${app.id}.${app.ids.A?.id} in access exclusive mode`);
    const stuck = ['a', 'b', 'c', 'd'].map(make);
    try {
      await until('some to wait', async () => (await scrape(server.address)).sum('cartulary_requests_waiting') >= 1);
      const { sum } = await scrape(server.address);
      assert.ok(sum('cartulary_requests_admitted') >= 1);
      assert.ok(sum('cartulary_requests_in_flight') >= 4);
      assert.ok(sum('cartulary_database_pool_connections', { state: 'lent' }) >= 1);
    } finally {
      await locker.query('rollback');
      await locker.end();
    }
    for (const { status } of await Promise.all(stuck)) assert.equal(status, 200);
  });

  it('replies while the database is unreachable, without its figures', async () => {
    const wire = await tapWire(server.database.connection);
    const away = await startTestServer({ connection: wire.connection, database: server.database });
    try {
      assert.equal((await scrape(away.address)).sum('cartulary_database_up'), 1);
      await wire.close();
      await until('it to be noticed', async () => (await scrape(away.address)).sum('cartulary_database_up') === 0);
      const { sum, text } = await scrape(away.address);
      assert.ok(!/^cartulary_database_size_bytes /m.test(text), 'no figures from before');
      assert.ok(sum('cartulary_database_connections_lost_total') > 0);
      assert.ok(sum('process_resident_memory_bytes') > 0);
    } finally {
      await away.close();
    }
  });

  it('adds up the metrics of several processes', async () => {
    const figure = (name: string, aggregator: Figure['aggregator'], value: number): Figure => ({
      name,
      help: name,
      type: 'gauge',
      aggregator,
      values: [{ labels: { a: 'b' }, value }],
    });
    const one = [figure('summed', 'sum', 1), figure('largest', 'max', 1), figure('first', 'first', 1)];
    const other = [figure('summed', 'sum', 2), figure('largest', 'max', 2), figure('first', 'first', 2)];
    // As the processes send them to each other.
    const { sum } = readExposition(await exposition(JSON.parse(JSON.stringify([one, other]))));
    assert.deepEqual([sum('summed', { a: 'b' }), sum('largest'), sum('first')], [3, 2, 1]);
  });
});
