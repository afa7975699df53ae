// The export of the activity log: its parameters, what is in the file and in which order, and what it leaves behind.

import assert from 'node:assert/strict';
import { get } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { type Person, publishApplication, string, type TestApplication } from '../support/application.ts';
import { fetchChecked } from '../support/http-client.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';
import { type Entry, exported, fill, iso, LOG, period, stored, writeAt } from './log.ts';

const DAY_MS = 86_400_000;
const COLLECTIONS = [{ name: 'Visits', columns: [{ name: 'Title', type: 'String' }] }];

describe('the export of the activity log', () => {
  let server: TestServer;
  let app: TestApplication;
  const events: string[] = [];

  before(async () => {
    server = await startTestServer({ observe: ({ event }) => events.push(event) });
    app = await publishApplication(server, { collections: COLLECTIONS });
  });
  after(async () => {
    await server.close();
  });

  const exportsNoted = async () =>
    (await stored(server.database, app.id)).filter(({ type }) => type === 'activityLog').map(({ extra }) => extra);

  it('returns a file with one entry per line, and logs the export', async () => {
    const json = { values: { [app.ids.Visits!.Title!]: string('a') } };
    const record = (await app.send('POST', app.records('Visits'), { json })).body;
    const [start, end] = [Date.now() - 60_000, Date.now() + 60_000];
    const reply = await fetchChecked(`${server.address}/v1/${app.id}${period(start, end)}`, {
      headers: { authorization: `Bearer ${app.admin.token}` },
    });
    assert.equal(reply.status, 200);
    assert.equal(reply.headers.get('content-type'), 'application/x-ndjson');
    assert.equal(reply.headers.get('content-length'), null);
    assert.match(
      reply.headers.get('content-disposition') ?? '',
      /^attachment; filename="p\w{26}-activity-[\dTZ-]+\.ndjson"$/,
    );
    const entries = (await reply.text())
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Entry);
    const kinds = entries.map(({ type, subType }) => `${type}.${subType}`);
    assert.deepEqual(kinds.slice(-2), ['record.create', 'activityLog.export']);
    const [created, noted] = entries.slice(-2) as [Entry, Entry];
    assert.deepEqual(Object.keys(created), [
      ...['date', 'type', 'subType', 'user', 'application', 'collection', 'source', 'extra'],
    ]);
    assert.deepEqual(created.extra, { recordId: record.id });
    assert.deepEqual(created.collection, { id: app.ids.Visits!.id, name: 'Visits' });
    assert.deepEqual(noted.extra, { startDate: iso(start), endDate: iso(end) });
    assert.deepEqual(noted.user, { id: app.admin.id, name: 'Admin' });
    assert.deepEqual(noted.application, { id: app.id, name: 'Test', version: 1 });
    assert.deepEqual(noted.source, { context: 'api', ip: '127.0.0.1' });
    assert.equal(noted.collection, undefined);
  });

  it('takes exactly 90 days and not a millisecond more', async () => {
    const start = Date.UTC(2025, 0, 1);
    assert.deepEqual(await exported(server, app, { start, end: start + 90 * DAY_MS }), []);
    for (const [from, to] of [
      [start, start + 90 * DAY_MS + 1],
      [start + 1, start],
      [0, Date.UTC(9999, 11, 31)],
    ] as const) {
      const { status, body } = await app.send('GET', period(from, to));
      assert.deepEqual([status, body.code, Object.keys(body.params)], [400, 'INVALID_PERIOD', ['reason']]);
    }
  });

  it('gives an empty file for an empty period', async () => {
    await writeAt(server.database, app.id, [Date.UTC(2024, 0, 1)]);
    const at = Date.UTC(2024, 0, 1);
    assert.deepEqual(await exported(server, app, { start: at, end: at }), []);
    assert.equal((await exported(server, app, { start: at, end: at + 1 })).length, 1);
    assert.deepEqual((await exportsNoted()).slice(-2), [
      { startDate: iso(at), endDate: iso(at) },
      { startDate: iso(at), endDate: iso(at + 1) },
    ]);
  });

  it('takes dates in one form only, and those of the calendar', async () => {
    const good = '2026-01-31T00:00:00.000Z';
    const before = (await exportsNoted()).length;
    const refused = async (query: string, parameter: string) => {
      const { status, body } = await app.send('GET', `${LOG}?${query}`);
      assert.deepEqual([status, body.code, body.params.parameter], [400, 'INVALID_PARAMETER', parameter], query);
      assert.ok(body.params.reason.length > 0);
    };
    await refused('', 'startDate');
    await refused(`startDate=${good}`, 'endDate');
    await refused(`endDate=${good}`, 'startDate');
    for (const wrong of [
      ...['', '2026-01-31', '2026-01-31T00:00:00Z', '2026-01-31T00:00:00.00Z', '2026-01-31T00:00:00.0000Z'],
      ...['2026-01-31T00:00:00.000', '2026-01-31T00:00:00.000%2B00:00', '2026-01-31t00:00:00.000z', '1769817600000'],
      ...[
        '2026-02-30T00:00:00.000Z',
        '2026-13-01T00:00:00.000Z',
        '2026-01-31T24:00:00.000Z',
        '2026-01-31T00:00:60.000Z',
      ],
      ...['%202026-01-31T00:00:00.000Z', '+002026-01-31T00:00:00.000Z', '%00', '2026-01-31T00:00:00.000Z%0A'],
    ]) {
      await refused(`startDate=${wrong}&endDate=${good}`, 'startDate');
      await refused(`startDate=${good}&endDate=${wrong}`, 'endDate');
    }
    assert.equal((await exportsNoted()).length, before, 'what was refused is not noted');
    for (const edge of [Date.parse('0000-01-01T00:00:00.000Z'), Date.parse('9999-12-31T23:59:59.998Z')]) {
      assert.deepEqual(await exported(server, app, { start: edge, end: edge + 1 }), []);
    }
  });

  it('includes its start, excludes its end, and keeps the order of one millisecond', async () => {
    const at = Date.UTC(2024, 5, 15, 12);
    // More than two pages, most of them in the same millisecond.
    const times = [at - 1, ...Array.from({ length: 600 }, () => at), at + 1, at + 1, at + 5];
    await writeAt(server.database, app.id, times);
    const numbers = async (start: number, end: number) =>
      (await exported(server, app, { start, end })).map(({ extra }) => Number(extra.n));
    assert.deepEqual(
      await numbers(at, at + 5),
      Array.from({ length: 602 }, (_, n) => n + 1),
    );
    assert.deepEqual(await numbers(at - 1, at), [0]);
    assert.deepEqual(await numbers(at + 5, at + 6), [603]);
    const whole = await numbers(at - 1, at + 6);
    const joined = [...(await numbers(at - 1, at)), ...(await numbers(at, at + 1)), ...(await numbers(at + 1, at + 6))];
    assert.deepEqual(joined, whole, 'adjoining periods give each entry once');
  });

  it('asks for the organization permission, and for an application that logs', async () => {
    const silent = await publishApplication(server, { name: 'Silent', collections: [], activityLogEnabled: false });
    const now = Date.now();
    for (const query of [period(now - 1, now), LOG]) {
      const { status, body } = await silent.send('GET', query);
      assert.deepEqual([status, body], [403, { code: 'FEATURE_DISABLED', params: { feature: 'activityLog' } }]);
    }
    const refusal = async ({ token }: Person, application = app) =>
      (await application.send('GET', period(now - 1, now), { token })).body.code;
    const some = await app.addPerson('Some');
    const manager = await app.addPerson('Manager', { managementApiAccess: true });
    assert.equal(await refusal(some), 'MANAGEMENT_API_ACCESS_REQUIRED');
    assert.equal(await refusal(manager), 'ORGANIZATION_MANAGEMENT_API_ACCESS_REQUIRED');
    assert.equal(await refusal(await silent.addPerson('Some'), silent), 'MANAGEMENT_API_ACCESS_REQUIRED');
  });

  it('describes itself to HEAD and logs nothing', async () => {
    const before = (await exportsNoted()).length;
    const now = Date.now();
    const reply = await app.send('HEAD', period(now - 1, now));
    assert.equal(reply.status, 200);
    assert.equal(reply.headers.get('content-type'), 'application/x-ndjson');
    assert.match(reply.headers.get('content-disposition') ?? '', /\.ndjson"$/);
    assert.equal((await exportsNoted()).length, before);
  });

  it('ends when its reader leaves, and holds no connection while the reader pauses', async () => {
    const at = Date.UTC(2023, 0, 1);
    await fill(server.database, app.id, { at, count: 30_000 });
    const left = () => events.filter((event) => event === 'request.left').length;
    const before = left();
    const response = await new Promise<import('node:http').IncomingMessage>((resolve, reject) => {
      const headers = { authorization: `Bearer ${app.admin.token}` };
      get(`${server.address}/v1/${app.id}${period(at, at + 30_000)}`, { headers }, resolve).on('error', reject);
    });
    response.once('readable', () => response.read(1));
    // A page takes milliseconds: a server that goes on reading, or holds what it read by, is met at one of so many looks.
    let freeLooks = 0;
    await until('all connections to be free', async () => {
      const busy = await server.database.sql(
        `select 1 from pg_stat_activity where datname = current_database()
         and application_name = 'cartulary' and state <> 'idle'`,
      );
      freeLooks = busy.length === 0 ? freeLooks + 1 : 0;
      return freeLooks === 10;
    });
    response.destroy();
    for (let tries = 0; left() === before && tries < 200; tries++) await pause(10);
    assert.equal(left(), before + 1);
  });

  it('cuts the connection when it cannot go on', async () => {
    const at = Date.UTC(2022, 0, 1);
    const table = `app_${app.id}.activity`;
    await fill(server.database, app.id, { at, count: 30_000 });
    const response = await fetch(`${server.address}/v1/${app.id}${period(at, at + 30_000)}`, {
      headers: { authorization: `Bearer ${app.admin.token}` },
    });
    assert.equal(response.status, 200);
    await server.database.sql(`alter table ${table} rename to hidden`);
    try {
      await assert.rejects(response.text());
    } finally {
      await server.database.sql(`alter table app_${app.id}.hidden rename to activity`);
    }
    assert.ok(events.includes('request.cut'));
  });

  it('that cannot be logged returns nothing', async () => {
    await server.database.sql(
      `alter table app_${app.id}.activity add constraint full_up check (entry not like '%"export"%') not valid`,
    );
    try {
      const now = Date.now();
      const { status, body } = await app.send('GET', period(now - 1, now));
      assert.equal(status, 500, body);
    } finally {
      await server.database.sql(`alter table app_${app.id}.activity drop constraint full_up`);
    }
    assert.equal(server.takeFailures().length, 1);
  });
});
