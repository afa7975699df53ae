// The operator's door to quotas: what is seen, what is changed, and how that is written down.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { HOUR_MS } from '../../src/domain/quota.ts';
import { publishApplication, type TestApplication } from '../support/application.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { limitedTo, TestHours } from './scene.ts';

describe('the operator’s quotas', () => {
  const hours = new TestHours();
  let server: TestServer;

  before(async () => {
    server = await startTestServer({ aheadMs: hours.aheadMs });
  });
  after(async () => {
    await server.close();
    assert.deepEqual(server.failures, []);
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

  it('show the limits, what is taken with the leases of all servers, and when the hour ends', async () => {
    const app = await publish({ 'records-read': 100, 'management-read': 7 });
    for (let count = 0; count < 6; count++) await app.send('GET', '');
    await app.send('GET', '/management/users');
    const { hour, resetsAt, ...rest } = await show(app);
    assert.equal(Date.parse(resetsAt) - Date.parse(hour), HOUR_MS);
    assert.ok(Math.abs(Date.parse(hour) + HOUR_MS / 6 - (Date.now() + hours.aheadMs())) < 60_000);
    const row = (group: string, limit: number | null, taken = 0) => ({
      group,
      inPlan: true,
      limit,
      taken,
      left: limit! - taken,
    });
    assert.deepEqual(rest, {
      plan: 'basic',
      groups: [
        // A lease of 5 and one of 4, of which 3 are unused.
        row('records-read', 100, 9),
        row('records-write', 100),
        row('attachments-read', 25),
        row('attachments-write', 5),
        row('management-read', 7, 1),
        { group: 'management-write', inPlan: false, limit: null, taken: 0, left: null },
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

  it('change the plan, and keep the limits', async () => {
    const app = await publish({ 'records-read': 10 });
    const { body } = await change(app, { plan: 'enterprise' });
    assert.deepEqual(
      body.groups.map(({ limit }: { limit: number }) => limit),
      [10, 4_000, 1_000, 200, 2_000, 1_000],
    );
    assert.deepEqual((await stored(app)).limits, { 'records-read': 10 });
    for (const same of [{}, { plan: 'enterprise' }, { limits: { 'records-read': 10, 'records-write': null } }]) {
      assert.equal((await change(app, same)).status, 200);
    }
    assert.equal(await versionOf(app), 2, 'what changes nothing publishes nothing');
  });

  it('lose nothing of what others publish at the same time', async () => {
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

  it('refuse what is not right, and who is not there', async () => {
    const app = await publish({ 'records-read': 10 });
    const wrong: [unknown, string][] = [
      [{ plan: 'gold' }, '/plan'],
      [{ limits: { 'records-read': -1 } }, '/limits/records-read'],
      [{ limits: { 'records-read': 1.5 } }, '/limits/records-read'],
      [{ limits: { 'records-read': 1_000_000_001 } }, '/limits/records-read'],
      [{ limits: { everything: 1 } }, '/limits/everything'],
      [{ limits: [] }, '/limits'],
      [{ name: 'Other' }, '/name'],
      [[], ''],
    ];
    for (const [body, path] of wrong) {
      const reply = await change(app, body);
      assert.deepEqual(
        [reply.status, reply.body.code, reply.body.params.path ?? ''],
        [400, 'INVALID_BODY', path],
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
