// The activity log as people look at it: newest first, narrowed down, walked to its end, and counted by day.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { LOOKED_AT_MAX } from '../../src/store/activity/newest-entries.ts';
import { type Person, publishApplication, string, type TestApplication } from '../support/application.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { type Entry, fill, iso, LOG, stored, writeAt } from './log.ts';

const DAY_MS = 86_400_000;
const ENTRIES = `${LOG}/entries`;
const FIGURES = `${LOG}/figures`;

describe('looking at the activity log', () => {
  let server: TestServer;
  let app: TestApplication;
  let person: Person;
  let recordId: string;

  before(async () => {
    server = await startTestServer();
    app = await publishApplication(server, {
      timeZone: 'Asia/Tokyo',
      collections: [
        { name: 'Visits', columns: [{ name: 'Title', type: 'String' }] },
        { name: 'Sites', columns: [{ name: 'Title', type: 'String' }] },
      ],
    });
    person = await app.addPerson('"recordId":"x"');
    const add = async (name: string, token: string) => {
      const json = { values: { [app.ids[name]!.Title!]: string('a') } };
      return (await app.send('POST', app.records(name), { json, token })).body.id as string;
    };
    for (let n = 0; n < 3; n += 1) await add('Visits', app.admin.token);
    recordId = await add('Visits', person.token);
    await add('Sites', person.token);
    assert.equal((await app.send('DELETE', app.records('Visits', recordId))).status, 204);
  });
  after(async () => {
    await server.close();
  });

  const kindsOf = (entries: readonly Entry[]) => entries.map(({ type, subType }) => `${type}.${subType}`);

  /** All pages; `pages` counts them. */
  async function walk(query: Record<string, string>): Promise<{ entries: Entry[]; pages: number }> {
    const entries: Entry[] = [];
    let path: string | undefined = `${ENTRIES}?${new URLSearchParams(query)}`;
    let pages = 0;
    for (; path !== undefined && pages < 100; pages += 1) {
      const reply = await app.send('GET', path);
      assert.equal(reply.status, 200, reply.text);
      entries.push(...reply.body);
      const link = /<([^>]*)>; rel="next"/.exec(reply.headers.get('link') ?? '')?.[1];
      assert.equal(reply.headers.has('cartulary-reached'), link !== undefined);
      path = link?.slice(link.indexOf(LOG));
    }
    return { entries, pages };
  }

  it('returns the entries of the export, newest first, and is not logged', async () => {
    const all = await stored(server.database, app.id);
    const { entries } = await walk({});
    assert.deepEqual(entries, all.reverse());
    const { entries: walked, pages } = await walk({ limit: '2' });
    assert.deepEqual(walked, entries);
    assert.ok(pages >= entries.length / 2);
  });

  it('narrows down by user, kind, collection, record and time', async () => {
    const narrowed = async (query: Record<string, string>) => kindsOf((await walk(query)).entries);
    assert.deepEqual(await narrowed({ userId: person.id }), ['record.create', 'record.create']);
    assert.deepEqual(await narrowed({ kind: 'record.delete' }), ['record.delete']);
    assert.deepEqual(await narrowed({ recordId }), ['record.delete', 'record.create']);
    assert.deepEqual(await narrowed({ collectionId: app.ids.Sites!.id! }), ['record.create']);
    assert.equal((await narrowed({ kind: 'record' })).length, 6);
    assert.deepEqual(await narrowed({ recordId, userId: person.id, limit: '1' }), ['record.create']);
    const operator = await walk({ userId: 'operator' });
    assert.ok(operator.entries.length > 0 && operator.entries.every(({ user }) => user.id === 'operator'));
    const [newest] = (await walk({ limit: '1' })).entries;
    assert.deepEqual(await narrowed({ startDate: iso(Date.parse(newest!.date) + 1) }), []);
    const before = await walk({ endDate: newest!.date });
    assert.ok(before.entries.every(({ date }) => date < newest!.date));
  });

  it('refuses what cannot be read, and who may not', async () => {
    const refused = async (query: string) => {
      const { status, body } = await app.send('GET', `${ENTRIES}?${query}`);
      return [status, body.code, body.params?.parameter];
    };
    for (const [query, parameter] of [
      ['userId=somebody', 'userId'],
      ['kind=record.', 'kind'],
      ["kind='or'1", 'kind'],
      ['collectionId=Visits', 'collectionId'],
      ['recordId=r1', 'recordId'],
      ['thumbnails=no', 'thumbnails'],
      ['startDate=yesterday', 'startDate'],
      ['endDate=2026-02-30T00:00:00.000Z', 'endDate'],
      ['after=1', 'after'],
      ['limit=101', 'limit'],
    ] as const) {
      assert.deepEqual(await refused(query), [400, 'INVALID_PARAMETER', parameter], query);
    }
    const manager = await app.addPerson('Manager', { managementApiAccess: true });
    for (const path of [ENTRIES, FIGURES]) {
      const reply = await app.send('GET', path, { token: manager.token });
      assert.equal(reply.body.code, 'ORGANIZATION_MANAGEMENT_API_ACCESS_REQUIRED');
    }
    const silent = await publishApplication(server, { activityLogEnabled: false, collections: [] });
    assert.equal((await silent.send('GET', ENTRIES)).body.code, 'FEATURE_DISABLED');
  });

  it('looks at a bounded number of entries, and says where it goes on', async () => {
    const other = await publishApplication(server, { collections: [] });
    const at = Date.now() - 10 * DAY_MS;
    await writeAt(server.database, other.id, [at - 1_000]);
    await fill(server.database, other.id, { at, count: LOOKED_AT_MAX + 5 });
    const first = await other.send('GET', `${ENTRIES}?kind=test`);
    assert.deepEqual(first.body, []);
    const reached = Date.parse(first.headers.get('cartulary-reached') ?? '');
    assert.ok(reached >= at && reached < at + LOOKED_AT_MAX, iso(reached));
    const link = /<([^>]*)>/.exec(first.headers.get('link') ?? '')?.[1] ?? '';
    const second = await other.send('GET', link.slice(link.indexOf(LOG)));
    assert.deepEqual([second.body.length, second.headers.get('link')], [1, null]);
  });

  it('counts by day in the zone that is asked for', async () => {
    const other = await publishApplication(server, { timeZone: 'Asia/Tokyo', collections: [] });
    const noon = Math.floor(Date.now() / DAY_MS) * DAY_MS - 5 * DAY_MS + DAY_MS / 2;
    await writeAt(server.database, other.id, [noon, noon + 1, noon + 4 * 3_600_000]);
    const day = (ms: number) => iso(ms).slice(0, 10);
    const query = `startDate=${iso(noon)}&endDate=${iso(noon + DAY_MS)}`;
    const counted = async (more: string) => {
      const reply = await other.send('GET', `${FIGURES}?${query}${more}`);
      assert.equal(reply.status, 200, reply.text);
      return reply.body;
    };
    const figure = (of: string, count: number) => ({ day: of, type: 'test', subType: 'create', count });
    assert.deepEqual(await counted(''), [figure(day(noon), 2), figure(day(noon + DAY_MS), 1)]);
    assert.deepEqual(await counted('&timezone=UTC&kind=test'), [figure(day(noon), 3)]);
    assert.deepEqual(await counted('&kind=record'), []);
    const wrong = await other.send('GET', `${FIGURES}?${query}&timezone=Mars`);
    assert.deepEqual(wrong.body.params.parameter, 'timezone');
    const long = await other.send('GET', `${FIGURES}?startDate=${iso(noon)}&endDate=${iso(noon + 91 * DAY_MS)}`);
    assert.equal(long.body.code, 'INVALID_PERIOD');
  });
});
