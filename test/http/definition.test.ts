// The application definition: exactly the members of the interface, and nothing of the settings behind it.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { publishApplication, type TestApplication } from '../support/application.ts';
import { assertProblem, send } from '../support/http-client.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const SIMPLE = ['String', 'Number', 'Boolean', 'DateTime', 'Date', 'Time', 'Location', 'User', 'Attachment'];
const KEYS = [
  { name: 'Street', type: 'String' },
  { name: 'Place', type: 'Location' },
];

const DOCUMENT = {
  name: 'Définition ✓',
  organization: 'Acme',
  timeZone: 'Asia/Tokyo',
  plan: 'enterprise',
  limits: { 'records-read': 100_000 },
  teamsModeEnabled: false,
  pushNotificationsEnabled: true,
  maxAttachmentBytes: 1000,
  profiles: ['Standard', 'Other'],
  teams: ['Tokyo'],
  collections: [
    {
      name: 'Everything',
      readAccessType: 'creatorOnly',
      columns: [
        ...SIMPLE.map((type) => ({ name: type, type })),
        { name: 'Code', type: 'String', unique: true, sortable: true, searchable: true },
        { name: 'Address', type: 'Object', scheme: { keys: KEYS } },
        { name: 'Tags', type: 'Array', scheme: { element: { type: 'String' } } },
        { name: 'Addresses', type: 'Array', scheme: { element: { type: 'Object', scheme: { keys: KEYS } } } },
        { name: 'To text', type: 'ReferenceString', scheme: { collection: 'Other', column: 'Title' } },
        { name: 'To number', type: 'ReferenceNumber', scheme: { collection: 'Other', column: 'Size' } },
        { name: 'To user', type: 'ReferenceUser', scheme: { collection: 'Other', column: 'Who' } },
      ],
    },
    {
      name: 'Other',
      writeAccessType: 'creatorOnly',
      columns: [
        { name: 'Title', type: 'String' },
        { name: 'Size', type: 'Number' },
        { name: 'Who', type: 'User' },
      ],
    },
    { name: 'Empty', columns: [] },
  ],
};

describe('definition', () => {
  let server: TestServer;
  let app: TestApplication;

  before(async () => {
    server = await startTestServer();
    app = await publishApplication(server, DOCUMENT);
  });
  after(async () => {
    await server.close();
  });

  it('has exactly the members that the interface names', async () => {
    const reply = await app.send('GET', '');
    assert.equal(reply.status, 200, reply.text);
    assert.equal(reply.headers.get('content-type'), 'application/json; charset=utf-8');
    const { Everything, Other, Empty } = app.ids;
    const plain = { unique: false, sortable: false, searchable: false };
    const column = (ids: Record<string, string>, name: string, type: string, rest: object = {}) => ({
      id: ids[name],
      name,
      type,
      ...plain,
      ...rest,
    });
    const refer = (name: string) => ({ scheme: { collectionId: Other!.id, columnId: Other![name] } });
    assert.deepEqual(reply.body, {
      id: app.id,
      name: 'Définition ✓',
      version: 1,
      sharedUsersModeEnabled: false,
      teamsModeEnabled: false,
      url: `${server.address}/console/${app.id}`,
      collections: [
        {
          id: Everything!.id,
          name: 'Everything',
          readAccessType: 'creatorOnly',
          writeAccessType: 'everyone',
          columns: [
            ...SIMPLE.map((type) => column(Everything!, type, type)),
            column(Everything!, 'Code', 'String', { unique: true, sortable: true, searchable: true }),
            column(Everything!, 'Address', 'Object', { scheme: { keys: KEYS } }),
            column(Everything!, 'Tags', 'Array', { scheme: { element: { type: 'String' } } }),
            column(Everything!, 'Addresses', 'Array', {
              scheme: { element: { type: 'Object', scheme: { keys: KEYS } } },
            }),
            column(Everything!, 'To text', 'ReferenceString', refer('Title')),
            column(Everything!, 'To number', 'ReferenceNumber', refer('Size')),
            column(Everything!, 'To user', 'ReferenceUser', refer('Who')),
          ],
        },
        {
          id: Other!.id,
          name: 'Other',
          readAccessType: 'everyone',
          writeAccessType: 'creatorOnly',
          columns: [column(Other!, 'Title', 'String'), column(Other!, 'Size', 'Number'), column(Other!, 'Who', 'User')],
        },
        { id: Empty!.id, name: 'Empty', readAccessType: 'everyone', writeAccessType: 'everyone', columns: [] },
      ],
    });
  });

  it('has identifiers of the form that the interface gives', async () => {
    const { body } = await app.send('GET', '');
    assert.match(body.id, /^p[a-z0-9]{26}$/);
    const ids: string[] = [];
    for (const { id, columns } of body.collections) {
      assert.match(id, /^t[a-z0-9]{7}$/);
      for (const column of columns) assert.match(column.id, /^c[a-z0-9]{7}$/);
      ids.push(id, ...columns.map((column: { id: string }) => column.id));
    }
    assert.equal(new Set(ids).size, ids.length);
  });

  it('is for everybody with API access, in the same words', async () => {
    const somebody = await app.addPerson('Somebody');
    const mine = await app.send('GET', '');
    const theirs = await app.send('GET', '', { token: somebody.token });
    assert.equal(theirs.text, mine.text);
    const nobody = await app.addPerson('Nobody', { apiAccess: false });
    const refused = await send(server.address, 'GET', `/v1/${app.id}`, {
      headers: { authorization: `Bearer ${nobody.token}` },
    });
    assertProblem(refused, 403, 'API_ACCESS_REQUIRED');
  });

  it('does not tell an application that is not there from one that is not yours', async () => {
    const gone = await publishApplication(server, { collections: [] });
    const authorization = `Bearer ${gone.admin.token}`;
    const get = (id: string) => send(server.address, 'GET', `/v1/${id}`, { headers: { authorization } });
    assert.equal((await get(gone.id)).status, 200);
    const deleted = await server.operator('DELETE', `/applications/${gone.id}`);
    assert.equal(deleted.status, 204, deleted.text);
    const answers = [await get(gone.id), await get(app.id), await get(`p${'z'.repeat(26)}`)];
    for (const reply of answers) assertProblem(reply, 401, 'UNAUTHORIZED');
    assert.equal(new Set(answers.map(({ text }) => text)).size, 1);
  });

  it('answers what is not there inside of one’s own application with 404', async () => {
    const unknown = await app.send('POST', '/collections/t0000000/records', { json: { values: {} } });
    assert.deepEqual([unknown.status, unknown.body.code], [404, 'COLLECTION_NOT_FOUND']);
    const record = await app.send('GET', `${app.records('Other')}/r${'0'.repeat(26)}`);
    assert.deepEqual([record.status, record.body.code], [404, 'RECORD_NOT_FOUND']);
    const operator = await server.operator('GET', `/applications/p${'0'.repeat(26)}`);
    assert.deepEqual([operator.status, operator.body.code], [404, 'APPLICATION_NOT_FOUND']);
  });

  it('shows each publishing at once, with the next version', async () => {
    const id = `p${'7'.repeat(26)}`;
    const own = await publishApplication(server, { id, collections: [] });
    assert.equal((await own.send('GET', '')).body.version, 1);
    const collections = [{ name: 'Things', columns: [{ name: 'Title', type: 'String' }] }];
    const published = await server.operator('POST', '/applications', { id, name: 'Test', collections });
    const shown = await own.send('GET', '');
    assert.deepEqual(shown.body, published.body.application);
    assert.equal(shown.body.version, 2);
    assert.deepEqual(
      shown.body.collections.map(({ name }: { name: string }) => name),
      ['Things'],
    );
  });

  it('shows an application that was removed and published anew as it is now', async () => {
    const id = `p${'8'.repeat(26)}`;
    const first = await publishApplication(server, { id, name: 'First', collections: [] });
    assert.equal((await first.send('GET', '')).body.name, 'First');
    assert.equal((await server.operator('DELETE', `/applications/${id}`)).status, 204);
    const collections = [{ name: 'Things', columns: [{ name: 'Title', type: 'String' }] }];
    const second = await publishApplication(server, { id, name: 'Second', collections });
    const { body } = await second.send('GET', '');
    assert.equal(body.name, 'Second');
    assert.equal(body.collections.length, 1);
    const created = await second.send('POST', second.records('Things'), { json: { values: {} } });
    assert.equal(created.status, 200, created.text);
    const old = await first.send('GET', '');
    assert.equal(old.status, 401, 'tokens of the removed application are worth nothing');
  });
});
