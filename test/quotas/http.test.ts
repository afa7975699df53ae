// Quotas as clients see them: which requests count, the headers, and the end of the hour.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { ROUTES } from '../../src/http/routes/table.ts';
import { type Limits, QUOTA_GROUPS } from '../../src/wire/publish-document.ts';
import { publishApplication, string, type TestApplication } from '../support/application.ts';
import { basic, send as sendRaw } from '../support/http-client.ts';
import { leftOf, limitedTo, TestHours } from '../support/quotas.ts';
import { bodyOf, pathOf, ROWS } from '../support/route-rows.ts';
import { type Reply, startTestServer, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';

const POLICY = 'ratelimit-policy';

describe('quotas', () => {
  const hours = new TestHours();
  let server: TestServer;

  before(async () => {
    server = await startTestServer({ aheadMs: hours.aheadMs });
  });
  after(async () => {
    await server.close();
  });

  const publish = (limits: Limits, more: object = {}) => publishApplication(server, { ...limitedTo(limits), ...more });
  const definition = (app: TestApplication) => app.send('GET', '');
  const create = (app: TestApplication) =>
    app.send('POST', app.records('Things'), { json: { values: { [app.ids.Things!.Title!]: string('a') } } });
  const takenOf = async (app: TestApplication): Promise<Record<string, number>> => {
    const { body } = await server.operator('GET', `/applications/${app.id}/quotas`);
    return Object.fromEntries(body.groups.map(({ group, taken }: { group: string; taken: number }) => [group, taken]));
  };
  const assertRefused = (reply: Reply, group: string) => {
    assert.deepEqual([reply.status, reply.body], [429, { code: 'TOO_MANY_REQUESTS', params: { group } }]);
    assert.equal(leftOf(reply.headers), 0);
    const seconds = Number(reply.headers.get('retry-after'));
    assert.ok(seconds >= 1 && seconds <= 3600, `${seconds}`);
    assert.equal(reply.headers.get('ratelimit'), `"${group}";r=0;t=${seconds}`);
    assert.match(
      reply.headers.get('server-timing') ?? '',
      / quota;dur=[\d.]+, db;/,
      'the stage that refused has its time',
    );
  };

  it('are in the headers of every counted reply, and end in 429', async () => {
    const app = await publish({ 'records-read': 3 });
    for (const left of [2, 1, 0]) {
      const reply = await definition(app);
      assert.equal(reply.status, 200, reply.text);
      assert.equal(reply.headers.get(POLICY), '"records-read";q=3;w=3600');
      assert.equal(leftOf(reply.headers), left);
      // Ten minutes past the hour.
      assert.match(reply.headers.get('ratelimit') ?? '', /;t=(?:2[89]\d\d|3000)$/);
      assert.equal(reply.headers.get('retry-after'), null);
    }
    for (let again = 0; again < 3; again++) assertRefused(await definition(app), 'records-read');
    assert.equal((await takenOf(app))['records-read'], 3, 'refused requests do not count');
  });

  it('are shared by the operations of a group, and by no other group', async () => {
    const app = await publish({ 'records-read': 5, 'records-write': 2 });
    const created = await create(app);
    assert.equal(leftOf(created.headers), 1);
    assert.equal(created.headers.get(POLICY), '"records-write";q=2;w=3600');
    const reads = [
      await definition(app),
      await app.send('GET', app.records('Things')),
      await app.send('GET', app.records('Things', created.body.id)),
      await app.send('GET', '/users'),
      await app.send('HEAD', ''),
    ];
    assert.deepEqual(
      reads.map(({ status, headers }) => [status, leftOf(headers)]),
      [4, 3, 2, 1, 0].map((left) => [200, left]),
    );
    assertRefused(await app.send('GET', app.records('Things', created.body.id)), 'records-read');
    assert.equal((await app.send('HEAD', '')).status, 429);
    const batch = Array.from({ length: 50 }, () => ({ values: {} }));
    const many = await app.send('POST', app.records('Things'), { json: batch });
    assert.deepEqual([many.status, leftOf(many.headers)], [200, 0], 'a batch is one request');
    assertRefused(await create(app), 'records-write');
    assertRefused(await app.send('DELETE', app.records('Things')), 'records-write');
    assert.equal(
      (await app.send('GET', `/users/${app.admin.id}/tokens`)).status,
      200,
      'some operations are in no group',
    );
  });

  it('count requests that are refused after the quota check, and none that are refused before', async () => {
    const app = await publish({ 'records-read': 100, 'records-write': 100, 'management-read': 100 });
    const person = await app.addPerson('Plain', { apiAccess: false });
    const wrong = [
      await app.send('GET', '', { token: '0123456789abcdef.wrong' }),
      await server.send('GET', `/v1/${app.id}`, { headers: { authorization: basic(app.admin.id, 'no') } }),
      await server.send('GET', `/v1/${app.id}`),
      await app.send('GET', '/collections/X/records'),
    ];
    assert.deepEqual(
      wrong.map(({ status, headers }) => [status, headers.get(POLICY), headers.get('ratelimit')]),
      [401, 401, 401, 400].map((status) => [status, null, null]),
    );
    assert.equal((await takenOf(app))['records-read'], 0);
    const refused = [
      await app.send('GET', '', { token: person.token }),
      await app.send('GET', '/collections/t0000000/records'),
      await app.send('GET', `${app.records('Things')}?limit=0`),
      await app.send('GET', app.records('Things', `r${'0'.repeat(26)}`)),
    ];
    assert.deepEqual(
      refused.map(({ status, headers }) => [status, leftOf(headers)]),
      [
        [403, 99],
        [404, 98],
        [400, 97],
        [404, 96],
      ],
    );
    const broken = await app.send('POST', app.records('Things'), { raw: '{', headers: { 'content-type': 'text/xml' } });
    assert.deepEqual([broken.status, leftOf(broken.headers)], [400, 99]);
    const forbidden = await app.send('GET', '/management/users', { token: person.token });
    assert.deepEqual([forbidden.status, leftOf(forbidden.headers)], [403, 99]);
  });

  it('come before permissions', async () => {
    const app = await publish({ 'management-read': 1 });
    const person = await app.addPerson('Plain');
    const ask = () => app.send('GET', '/management/users', { token: person.token });
    assert.equal((await ask()).body.code, 'MANAGEMENT_API_ACCESS_REQUIRED');
    assertRefused(await ask(), 'management-read');
  });

  for (const plan of ['basic', 'premium']) {
    it(`leave management out of the plan ${plan}, checked after permissions`, async () => {
      const app = await publish({}, { plan });
      const person = await app.addPerson('Plain');
      for (const [method, path, group] of [
        ['GET', '/management/users', 'management-read'],
        ['DELETE', '/management/users/u0000000', 'management-write'],
      ] as const) {
        const lacking = await app.send(method, path, { token: person.token });
        assert.deepEqual([lacking.status, lacking.body.code], [403, 'MANAGEMENT_API_ACCESS_REQUIRED']);
        const reply = await app.send(method, path);
        assert.deepEqual([reply.status, reply.body], [403, { code: 'NOT_IN_PLAN', params: { group } }]);
        assert.equal(reply.headers.get('ratelimit'), null);
      }
      const read = await definition(app);
      assert.equal(read.headers.get(POLICY), `"records-read";q=${plan === 'basic' ? 200 : 4000};w=3600`);
    });
  }

  it('of a plan are overridden by limits, which also open management', async () => {
    const app = await publish({ 'management-read': 1, 'records-read': 0 }, { plan: 'basic' });
    assert.equal((await app.send('GET', '/management/users')).status, 200);
    assertRefused(await app.send('GET', '/management/users'), 'management-read');
    assertRefused(await definition(app), 'records-read');
    assert.equal((await app.send('DELETE', '/management/users/u0000000')).body.code, 'NOT_IN_PLAN');
    assert.equal(leftOf((await create(app)).headers), 99);
  });

  it('are absent without a limit', async () => {
    for (const [plan, limits] of [
      ['unlimited', {}],
      ['custom', { 'records-write': 5 }],
    ] as const) {
      const app = await publish(limits, { plan });
      for (const path of ['', '/users', '/management/users', app.records('Things')]) {
        const reply = await app.send('GET', path);
        assert.equal(reply.status, 200);
        assert.deepEqual([reply.headers.get(POLICY), reply.headers.get('ratelimit')], [null, null]);
      }
      assert.deepEqual(Object.values(await takenOf(app)), [0, 0, 0, 0, 0, 0]);
    }
  });

  it('restart with the hour', async () => {
    const app = await publish({ 'records-read': 2, 'records-write': 40 });
    assert.equal(leftOf((await create(app)).headers), 39);
    for (const left of [1, 0]) assert.equal(leftOf((await definition(app)).headers), left);
    assertRefused(await definition(app), 'records-read');
    hours.turn();
    assert.equal((await takenOf(app))['records-read'], 0);
    assert.equal(leftOf((await create(app)).headers), 39, 'leases of the previous hour are not used');
    for (const left of [1, 0]) assert.equal(leftOf((await definition(app)).headers), left);
    assertRefused(await definition(app), 'records-read');
  });

  it('take effect as soon as they are published, in both directions', async () => {
    const app = await publish({ 'records-read': 4 });
    const change = (limits: object) => server.operator('PUT', `/applications/${app.id}/quotas`, { limits });
    assert.equal(leftOf((await definition(app)).headers), 3);
    assert.equal((await change({ 'records-read': 2 })).status, 200);
    assert.equal(leftOf((await definition(app)).headers), 0);
    assertRefused(await definition(app), 'records-read');
    await change({ 'records-read': 3 });
    assert.equal(leftOf((await definition(app)).headers), 0);
    assertRefused(await definition(app), 'records-read');
    await change({ 'records-read': 0 });
    assertRefused(await definition(app), 'records-read');
    await change({ 'records-read': null });
    assert.equal((await definition(app)).headers.get('ratelimit'), null);
    await change({ 'records-read': 100 });
    assert.equal(leftOf((await definition(app)).headers), 96, 'requests without a limit are not counted afterwards');
  });

  it('return a lease that has become too large', async () => {
    const app = await publish({ 'records-read': 1000 });
    await definition(app);
    assert.equal((await takenOf(app))['records-read'], 50, 'a lease');
    await server.operator('PUT', `/applications/${app.id}/quotas`, { limits: { 'records-read': 3 } });
    for (const left of [1, 0]) assert.equal(leftOf((await definition(app)).headers), left);
    assertRefused(await definition(app), 'records-read');
  });

  it('restart for an application that was removed and published again', async () => {
    const app = await publish({ 'records-read': 60 });
    for (let count = 0; count < 10; count++) await definition(app);
    const { body } = await server.operator('GET', `/applications/${app.id}`);
    assert.equal((await server.operator('DELETE', `/applications/${app.id}`)).status, 204);
    const again = await publishApplication(server, body);
    assert.equal(again.id, app.id);
    assert.equal(leftOf((await definition(again)).headers), 59);
    assert.equal(
      (await takenOf(again))['records-read'],
      3,
      'one lease, of which the former application gave nothing back',
    );
  });

  it('are exact for concurrent requests', async () => {
    const app = await publish({ 'records-read': 30 });
    const replies = await Promise.all(Array.from({ length: 40 }, () => definition(app)));
    const admitted = replies.filter(({ status }) => status === 200);
    assert.equal(admitted.length, 30);
    assert.deepEqual(
      admitted.map(({ headers }) => leftOf(headers)).toSorted((a, b) => b - a),
      Array.from({ length: 30 }, (_, index) => 29 - index),
      'each is told another number',
    );
    for (const reply of replies.filter(({ status }) => status !== 200)) assertRefused(reply, 'records-read');
  });

  it('are read again while nothing is left, because other nodes may return leases', async () => {
    const app = await publish({ 'records-read': 2 });
    for (let count = 0; count < 2; count++) await definition(app);
    assertRefused(await definition(app), 'records-read');
    await server.database.sql(`update app_${app.id}.quotas set taken = taken - 1`);
    await until('one that was given back', async () => (await definition(app)).status === 200);
    assertRefused(await definition(app), 'records-read');
  });
});

describe('the groups of operations', () => {
  /** Not counted: signing in and out, the caller's own sessions, tokens and devices, and continuing an upload. */
  const UNCOUNTED =
    /\/sessions?\b|\/tokens\b|\/devices\b|\/pushKey$|\/password$|^(?:OPTIONS|HEAD|PATCH|DELETE|POST) \S+\/uploads(?:\/:attachmentId)$|^OPTIONS \S+\/uploads$/;
  const EXPECTED: readonly (readonly [RegExp, string])[] = [
    [/^GET \/v1\/:applicationId$/, 'records-read'],
    [/^GET \S+\/openapi\.json$/, 'records-read'],
    [/^GET \/v1\/:applicationId\/users$/, 'records-read'],
    [/^GET \S+\/records(?:\/:recordId|\/figures)?$/, 'records-read'],
    [/^GET \S+\/views(?:\/:viewId)?$/, 'records-read'],
    [/^(?:POST|PUT|DELETE) \S+\/views\b/, 'records-write'],
    [/^(?:POST|PUT|PATCH|DELETE) \S+\/records\b/, 'records-write'],
    [/^GET \S+\/notifications$/, 'records-read'],
    [/^POST \S+\/notifications$/, 'records-write'],
    [/^GET \S+\/attachments\/:attachmentId$/, 'attachments-read'],
    [/^POST \S+\/(?:attachments|uploads)$/, 'attachments-write'],
    [/^GET \S+\/management\//, 'management-read'],
    [/^(?:POST|PUT|DELETE) \S+\/management\//, 'management-write'],
  ];

  for (const { method, path, group } of ROUTES) {
    const title = `${method} ${path}`;
    it(`${title} is in ${group ?? 'none'}`, () => {
      const expected = EXPECTED.find(([pattern]) => pattern.test(title))?.[1];
      assert.ok(expected !== undefined || UNCOUNTED.test(title), `decide on the group of ${title}`);
      assert.equal(group, expected);
    });
  }

  it('refuse every operation of the group when nothing is left', async () => {
    const server = await startTestServer();
    const none = Object.fromEntries(QUOTA_GROUPS.map((group) => [group, 0]));
    const app = await publishApplication(server, limitedTo(none));
    const groups = new Map(ROUTES.map(({ method, path, group }) => [`${method} ${path}`, group]));
    for (const row of ROWS.filter(({ title }) => groups.get(title) !== undefined)) {
      const path = pathOf(row, { applicationId: app.id, collectionId: app.ids.Things!.id! });
      const authorization = `Bearer ${app.admin.token}`;
      const json = row.body === undefined ? {} : { body: bodyOf(row), headers: { 'content-type': 'application/json' } };
      const headers = { ...row.headers, ...json.headers, authorization };
      const reply = await sendRaw(server.address, row.method, path, { ...json, headers });
      assert.deepEqual([reply.status, reply.body?.params], [429, { group: groups.get(row.title) }], row.title);
      const anonymous = await sendRaw(server.address, row.method, path, { ...json, headers: { ...json.headers } });
      assert.equal(anonymous.status, 401, row.title);
    }
    await server.close();
  });
});
