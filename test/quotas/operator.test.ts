// Quotas in the operator's interface: showing and changing them, and the activity log.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { HOUR_MS } from '../../src/domain/quota.ts';
import { QUOTA_GROUPS } from '../../src/wire/publish-document.ts';
import { publishApplication, type TestApplication } from '../support/application.ts';
import { limitedTo, TestHours } from '../support/quotas.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

describe('the operator’s quotas', () => {
  const hours = new TestHours();
  let server: TestServer;

  before(async () => {
    server = await startTestServer({ aheadMs: hours.aheadMs });
  });
  after(async () => {
    await server.close();
  });

  const publish = (limits: Record<string, number>, plan = 'basic') =>
    publishApplication(server, { ...limitedTo(limits), plan });
  const show = async ({ id }: TestApplication) => (await server.operator('GET', `/applications/${id}/quotas`)).body;
  const change = ({ id }: TestApplication, body: unknown) => server.operator('PUT', `/applications/${id}/quotas`, body);
  const stored = async ({ id }: TestApplication) => (await server.operator('GET', `/applications/${id}`)).body;
  const versionOf = async (app: TestApplication) => {
    const { body } = await server.operator('GET', '/applications');
    return body.find(({ id }: { id: string }) => id === app.id).version;
  };

  it('show the limits, the leases of all servers, and the end of the hour', async () => {
    const app = await publish({ 'records-read': 100, 'management-read': 7 });
    for (let count = 0; count < 6; count++) await app.send('GET', '');
    await app.send('GET', '/management/users');
    const { hour, resetsAt, ...rest } = await show(app);
    assert.equal(Date.parse(resetsAt) - Date.parse(hour), HOUR_MS);
    const intoHourMs = Date.now() + hours.aheadMs() - Date.parse(hour);
    assert.ok(intoHourMs >= 0 && intoHourMs < HOUR_MS, `${intoHourMs} ms into the hour`);
    const row = (group: string, limit: number, { source = 'plan', taken = 0 } = {}) => ({
      group,
      inPlan: true,
      limit,
      source,
      taken,
      left: limit - taken,
    });
    assert.deepEqual(rest, {
      plan: 'basic',
      groups: [
        // A lease of 5 and one of 4, of which 3 are unused.
        row('records-read', 100, { source: 'set', taken: 9 }),
        row('records-write', 100),
        row('attachments-read', 25),
        row('attachments-write', 5),
        row('management-read', 7, { source: 'set', taken: 1 }),
        { group: 'management-write', inPlan: false, limit: null, source: null, taken: 0, left: null },
      ],
    });
    hours.turn();
    assert.equal((await show(app)).groups[0].taken, 0);
  });

  it('change one limit and leave the others, with a version and an entry in the log', async () => {
    const app = await publish({ 'records-read': 10, 'records-write': 20 });
    const reply = await change(app, { limits: { 'records-read': 30, 'attachments-read': 40, 'records-write': null } });
    assert.equal(reply.status, 200, reply.text);
    assert.deepEqual(reply.body, await show(app));
    assert.deepEqual(
      reply.body.groups.map(({ limit }: { limit: number }) => limit),
      [30, 100, 40, 5, null, null],
    );
    const { plan, limits } = await stored(app);
    assert.deepEqual([plan, limits], ['basic', { 'records-read': 30, 'attachments-read': 40 }]);
    assert.equal(await versionOf(app), 2);
    const entries = await server.database.sql(`select entry from app_${app.id}.activity where entry like '%publish%'`);
    assert.equal(entries.length, 2);
  });

  it('change the plan, keep the limits, and show the source of each', async () => {
    const app = await publish({ 'records-read': 10 });
    const { body } = await change(app, { plan: 'enterprise' });
    assert.deepEqual(
      body.groups.map(({ limit, source }: { limit: number; source: string }) => [limit, source]),
      [[10, 'set'], ...[4_000, 1_000, 200, 2_000, 1_000].map((limit) => [limit, 'plan'])],
    );
    assert.deepEqual((await stored(app)).limits, { 'records-read': 10 });
    for (const same of [{}, { plan: 'enterprise' }, { limits: { 'records-read': 10, 'records-write': null } }]) {
      assert.equal((await change(app, same)).status, 200);
    }
    assert.equal(await versionOf(app), 2, 'an empty change publishes nothing');
  });

  it('remove all limits at once', async () => {
    const app = await publish({ 'records-read': 10, 'management-read': 3 });
    const { status, body } = await change(app, { plan: 'custom', limits: null });
    assert.equal(status, 200);
    for (const { limit, source } of body.groups) assert.deepEqual([limit, source], [null, null]);
    assert.deepEqual((await stored(app)).limits, {});
  });

  it('list all applications, the most used first', async () => {
    const [full, half, closed, free] = [
      await publish({ 'records-read': 2 }, 'custom'),
      await publish({ 'records-read': 2 }, 'custom'),
      await publish({ 'records-write': 0 }, 'custom'),
      await publish({}, 'unlimited'),
    ] as const;
    for (const app of [full, full, half, free]) assert.equal((await app.send('GET', '')).status, 200);
    const { status, body } = await server.operator('GET', '/quotas?limit=10000');
    assert.equal(status, 200);
    const ours = body.groups.filter(({ applicationId }: { applicationId: string }) =>
      [full, half, closed, free].some(({ id }) => id === applicationId),
    );
    const entry = ({ id }: TestApplication, group: string, [limit, taken]: [number, number]) => {
      const { name } = body.groups.find(({ applicationId }: { applicationId: string }) => applicationId === id);
      return { applicationId: id, name, group, limit, source: 'set', taken, left: limit - taken };
    };
    assert.deepEqual(ours, [
      entry(full, 'records-read', [2, 2]),
      entry(half, 'records-read', [2, 1]),
      entry(closed, 'records-write', [0, 0]),
    ]);
    assert.equal(ours[0]?.name, (await stored(full)).name);
    assert.deepEqual([body.hour, body.resetsAt], [(await show(full)).hour, (await show(full)).resetsAt]);
    const parts = body.groups.map(({ taken, limit }: Record<string, number>) => (taken === 0 ? 0 : taken! / limit!));
    assert.deepEqual(
      parts,
      parts.toSorted((a: number, b: number) => b - a),
    );
    assert.equal(body.total, body.groups.length);
    const first = (await server.operator('GET', '/quotas?limit=1')).body;
    assert.deepEqual([first.groups, first.total], [body.groups.slice(0, 1), body.total]);
    const wrong = await server.operator('GET', '/quotas?limit=0');
    assert.deepEqual([wrong.status, wrong.body.code], [400, 'INVALID_PARAMETER']);
  });

  it('list those that nobody uses without a statement for each', async () => {
    const used = await publish({ 'records-read': 50 });
    await used.send('GET', '');
    const statements = async () => {
      const { status, headers } = await server.operator('GET', '/quotas?limit=10000');
      assert.equal(status, 200);
      return Number(/desc="(\d+) statement/.exec(headers.get('server-timing') ?? '')?.[1]);
    };
    // The first also writes down who was used.
    await statements();
    const before = await statements();
    assert.ok(before > 0, `${before}`);
    const unused = [await publish({ 'records-read': 50 }), await publish({ 'records-read': 50 })];
    assert.equal(await statements(), before);
    const { groups } = (await server.operator('GET', '/quotas?limit=10000')).body;
    for (const { id } of unused) {
      const own = groups.filter(({ applicationId }: { applicationId: string }) => applicationId === id);
      assert.deepEqual([own.length > 0, ...new Set(own.map(({ taken }: { taken: number }) => taken))], [true, 0]);
    }
  });

  it('do not overwrite a concurrent publish', async () => {
    const app = await publish({});
    const document = await stored(app);
    const groups = ['records-read', 'records-write', 'attachments-read', 'attachments-write'];
    const collections = [...document.collections, { name: 'More', columns: [] }];
    const replies = await Promise.all([
      ...groups.map((group, index) => change(app, { limits: { [group]: index + 1 } })),
      server.operator('POST', '/applications', { ...document, collections }),
      ...groups.map((group, index) => change(app, { limits: { [group]: index + 11 } })),
    ]);
    for (const reply of replies) assert.equal(reply.status, 200, reply.text);
    const after = await stored(app);
    assert.equal(after.collections.length, 2);
  });

  it('refuse invalid changes and unknown applications', async () => {
    const app = await publish({ 'records-read': 10 });
    const known = `${QUOTA_GROUPS.slice(0, -1).join(', ')} and ${QUOTA_GROUPS.at(-1)}`;
    const wrong: [unknown, string, string][] = [
      [{ plan: 'gold' }, '/plan', 'must be one of basic, premium, enterprise, custom, unlimited'],
      [{ limits: { 'records-read': -1 } }, '/limits/records-read', 'must be at least 0'],
      [{ limits: { 'records-read': 1.5 } }, '/limits/records-read', 'must be a whole number'],
      [{ limits: { 'records-read': 1_000_000_001 } }, '/limits/records-read', 'must be at most 1000000000'],
      [{ limits: { everything: 1 } }, '/limits/everything', `is not known here; known are ${known}`],
      [{ limits: [] }, '/limits', 'must be an object'],
      [{ name: 'Other' }, '/name', 'is not known here; known are plan and limits'],
      [[], '', 'must be an object'],
    ];
    for (const [body, path, reason] of wrong) {
      const reply = await change(app, body);
      assert.deepEqual(
        [reply.status, reply.body.code, reply.body.params],
        [400, 'INVALID_BODY', { path, reason }],
        JSON.stringify(body),
      );
    }
    assert.equal(await versionOf(app), 1);
    const nobody = { id: `p${'0'.repeat(26)}` } as TestApplication;
    for (const reply of [await change(nobody, {}), await server.operator('GET', `/applications/${nobody.id}/quotas`)]) {
      assert.deepEqual([reply.status, reply.body.code], [404, 'APPLICATION_NOT_FOUND']);
    }
  });
});
