// Every operation of the route tables: done, it leaves exactly the entries that it should, one for each record; refused,
// in whatever way, it leaves none.

import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { OPERATOR_ROUTES } from '../../src/http/routes/operator.ts';
import { ROUTES, VISITOR_ROUTES } from '../../src/http/routes/table.ts';
import { ACTIVITY_KINDS } from '../../src/wire/activity-kinds.ts';
import { type Person, publishApplication } from '../support/application.ts';
import { Client } from '../support/browser-sessions.ts';
import { fetchChecked } from '../support/http-client.ts';
import { codeIn, tableOf } from '../support/markdown.ts';
import { bodyOf, pathOf, ROWS } from '../support/route-rows.ts';
import { type Reply, startTestServer, type TestServer } from '../support/server.ts';
import { type Entry, stored } from './log.ts';
import { LINES } from './operations.ts';
import { type Deed, ELSEWHERE, SILENT, type World } from './world.ts';

const DOCUMENT = {
  pushNotificationsEnabled: true,
  maxAttachmentBytes: 1_000,
  collections: [
    {
      name: 'Things',
      columns: [
        { name: 'Title', type: 'String', unique: true, searchable: true },
        { name: 'Count', type: 'Number' },
      ],
    },
  ],
};
const PASSWORD = 'Secret-Passw0rd';
const RIGHTS = { admin: false, apiAccess: true, managementApiAccess: true, profile: { name: 'Standard' } };

describe('every operation', () => {
  let server: TestServer;
  let world: World;
  let nobody: Person;

  before(async () => {
    server = await startTestServer();
    world = await openWorld(server);
    nobody = await world.app.addPerson('Nobody', { apiAccess: false });
    const json = { values: { [world.app.ids.Things!.Title!]: { type: 'String', value: 'kept' } } };
    assert.equal((await world.send('POST', world.app.records('Things'), { json })).status, 200);
  });
  after(async () => {
    await server.close();
  });

  let assertNoMore: () => Promise<void> = async () => undefined;
  beforeEach(() => assertNoMore());

  const logOf = ({ application }: Pick<Deed, 'application'>): Promise<Entry[]> =>
    stored(server.database, application === 'shared' ? world.shared.id : world.app.id);

  it('has a line that says what it leaves in the log', () => {
    const titles = [...ROUTES, ...VISITOR_ROUTES, ...OPERATOR_ROUTES].map(({ method, path }) => `${method} ${path}`);
    assert.deepEqual(Object.keys(LINES).sort(), titles.sort());
  });

  it('of every kind is among them', () => {
    const kinds = Object.values(LINES).flatMap((line) =>
      typeof line === 'string' ? [] : line.entries.map(([kind]) => kind),
    );
    // Wrong credentials are no operation: test/sessions/login-failed.test.ts.
    assert.deepEqual([...new Set([...kinds, 'session.loginFailed'])].sort(), [...ACTIVITY_KINDS].sort());
  });

  it('of every kind is in docs/activity-log.md', () => {
    const rows = tableOf('activity-log', '`type`', '`subType`');
    const told = rows.flatMap(([type = '', subTypes = '']) =>
      [...subTypes.matchAll(/`(\w+)`/g)].map(([, subType]) => `${codeIn(type)}.${subType}`),
    );
    assert.deepEqual(told.sort(), [...ACTIVITY_KINDS].sort());
  });

  for (const [title, line] of Object.entries(LINES)) {
    if (line === SILENT || line === ELSEWHERE) continue;
    it(`${title} leaves what it should`, async () => {
      // What the operation needs first has entries of its own.
      const earlier = await logOf(line);
      const reply = await line.run(world);
      assert.ok(reply.status === 200 || reply.status === 204, `${reply.status} ${reply.text}`);
      const left = (await logOf(line)).slice(earlier.length).slice(-line.entries.length);
      assert.deepEqual(
        left.map(({ type, subType, extra }) => [`${type}.${subType}`, ...Object.keys(extra)]),
        line.entries,
      );
      for (const entry of left) assertScene(entry, line, reply);
      await assertOnce(line, earlier.length);
    });

    for (const [expected, refused] of Object.entries(line.refused ?? {})) {
      it(`${title} that answers ${expected} leaves nothing`, async () => {
        const earlier = (await logOf(line)).length;
        const reply = await refused(world);
        assert.equal(`${reply.status} ${reply.body?.code}`, expected, reply.text);
        assert.equal((await logOf(line)).length, earlier);
      });
    }
  }

  it('that is refused for want of permission leaves nothing', async () => {
    const [own, shared] = [await logOf({}), await logOf({ application: 'shared' })];
    for (const row of ROWS.filter(({ side, permission }) => side === 'interface' && permission !== 'self')) {
      for (const token of [nobody.token, `0123456789abcdef.${'A'.repeat(43)}`]) {
        const path = pathOf(row, { applicationId: world.app.id, collectionId: world.app.ids.Things!.id! });
        const headers = { ...row.headers, authorization: `Bearer ${token}`, 'content-type': 'application/json' };
        const body = row.body === undefined ? {} : { body: bodyOf(row) };
        const { status } = await fetchChecked(server.address + path, { method: row.method, headers, ...body });
        assert.ok(status === 401 || status === 403, `${row.title} answered ${status}`);
      }
    }
    assert.equal((await logOf({})).length, own.length);
    assert.equal((await logOf({ application: 'shared' })).length, shared.length);
  });

  it('that is silent leaves nothing, and nothing is logged where there is no log', async () => {
    const silent = await publishApplication(server, { ...DOCUMENT, name: 'Silent', activityLogEnabled: false });
    const json = { values: { [silent.ids.Things!.Title!]: { type: 'String', value: 'a' } } };
    const { id } = (await silent.send('POST', silent.records('Things'), { json })).body;
    assert.equal((await silent.send('DELETE', silent.records('Things', id))).status, 204);
    assert.deepEqual(await stored(server.database, silent.id), []);
    const earlier = await logOf({});
    for (const row of ROWS.filter(({ title, method }) => LINES[title] === SILENT && method === 'GET')) {
      const path = pathOf(row, { applicationId: world.app.id, collectionId: world.app.ids.Things!.id! });
      await fetchChecked(server.address + path, { headers: { authorization: `Bearer ${world.app.admin.token}` } });
    }
    assert.deepEqual(await logOf({}), earlier);
  });

  it('that switches the log off or on is the last, or the first, that is in it', async () => {
    const app = await publishApplication(server, { name: 'Switched', collections: [] });
    const document = { id: app.id, name: 'Switched', collections: [] };
    const published = async () =>
      (await stored(server.database, app.id))
        .filter(({ type }) => type === 'application')
        .map(({ subType, application }) => `${subType} ${application.version}`);
    const first = await published();
    for (const [name, activityLogEnabled] of [
      ['Switched', false],
      ['Renamed while it is off', false],
      ['Renamed while it is off', true],
    ]) {
      const reply = await server.operator('POST', '/applications', { ...document, name, activityLogEnabled });
      assert.equal(reply.status, 200, reply.text);
    }
    assert.deepEqual(await published(), [...first, 'publish 2', 'publish 4']);
  });

  /** Who, where and which application. */
  function assertScene(entry: Entry, { context = 'api', application }: Deed, reply: Reply): void {
    assert.equal(entry.source.context, context);
    assert.equal(entry.source.ip, '127.0.0.1');
    assert.equal(entry.application.id, application === 'shared' ? world.shared.id : world.app.id);
    assert.equal('collection' in entry, entry.type === 'record' || entry.type === 'attachment');
    if (context === 'operator') assert.deepEqual(entry.user, { id: 'operator', name: 'operator' });
    else if (context === 'api') {
      const { id } = application === 'shared' ? world.shared.admin : world.app.admin;
      assert.deepEqual(entry.user, { id, name: 'Admin' });
    } else assert.match(entry.user.name, /^name /);
    // What was made is what the entry names.
    const made = reply.body?.id;
    if (entry.subType === 'create' && made !== undefined) assert.ok(Object.values(entry.extra).includes(made));
  }

  it('that is over leaves nothing more', () => assertNoMore());

  /** Nothing was logged twice, and when the next test begins nothing has come behind the answer. */
  async function assertOnce(line: Deed, from: number): Promise<void> {
    const all = await logOf(line);
    assertNoMore = async () => assert.equal((await logOf(line)).length, all.length, 'something came behind the answer');
    const keys = all.slice(from).map(({ type, subType, extra }) => {
      const { userId: _, ...own } = extra;
      return `${type}.${subType} ${JSON.stringify(type === 'user' ? extra : own)}`;
    });
    assert.equal(new Set(keys).size, keys.length, keys.join('\n'));
  }
});

async function openWorld(server: TestServer): Promise<World> {
  const app = await publishApplication(server, DOCUMENT);
  let names = 0;
  const name = () => `name ${++names}`;
  const ready: World['ready'] = async (reply) => {
    const { status, text, body } = await reply;
    assert.ok(status === 200 || status === 204, `${status} ${text}`);
    return body;
  };
  const post = (path: string, body: object) => ready(server.operator('POST', path, body));
  const { application } = await post('/applications', {
    ...{ name: 'Shared', organization: 'Swept', collections: [], activityLogEnabled: true },
    sharedUsersModeEnabled: true,
  });
  await post('/organizations/Swept/sharedUsers', { name: 'Admin', email: 'a@example.com', password: PASSWORD });
  const rights = { ...RIGHTS, organizationManagementApiAccess: true };
  const { id } = await post(`/applications/${application.id}/users`, { name: 'Admin', ...rights });
  const { token } = await post(`/applications/${application.id}/users/${id}/tokens`, { name: 'a' });
  return {
    ...{ server, app, shared: { id: application.id, admin: { id, token } }, ready, name },
    send: app.send,
    sendShared: (method, path, options = {}) =>
      server.send(method, `/v1/${application.id}${path}`, { token, ...options }),
    signIn: async () => {
      const person = await app.addPerson(name());
      const client = new Client(server.address, app.id);
      await ready(client.signIn(person.id, person.password));
      return { userId: person.id, send: (method, path, options) => client.send(method, path, options) };
    },
  };
}
