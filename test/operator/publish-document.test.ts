// Publishing a document: the first time, again, and with every kind of change; identifiers, versions and refusals.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Application, Collection } from '../../src/wire/applications.ts';
import { OPERATOR_KEY, type Reply, startTestServer, type TestServer } from '../support/server.ts';
import { assertNoDebris } from '../support/stored-records.ts';

interface Change {
  readonly kind: string;
  readonly text: string;
  readonly collectionId?: string;
  readonly columnId?: string;
  readonly losesData?: true;
  readonly records?: number;
}

describe('publishing a document', () => {
  let server: TestServer;

  before(async () => {
    server = await startTestServer();
  });
  after(async () => {
    await server.close();
  });

  const send = (document: unknown, query = ''): Promise<Reply> =>
    server.operator('POST', `/applications${query}`, document);

  async function publish(document: unknown, query = ''): Promise<{ application: Application; changes: Change[] }> {
    const reply = await send(document, query);
    assert.equal(reply.status, 200, reply.text);
    assert.deepEqual(Object.keys(reply.body).sort(), ['application', 'changes']);
    return reply.body;
  }

  const kinds = (changes: readonly Change[]) => changes.map(({ kind }) => kind);

  const DOCUMENT = {
    name: 'Inspections',
    collections: [
      {
        name: 'Visits',
        columns: [
          { name: 'Title', type: 'String' },
          { name: 'Count', type: 'Number', unique: true },
          { name: 'Tags', type: 'Array', scheme: { element: { type: 'String' } } },
        ],
      },
      { name: 'Sites', columns: [{ name: 'Title', type: 'String' }] },
    ],
  };

  it('creates an application and assigns every identifier', async () => {
    const { application, changes } = await publish(DOCUMENT);
    assert.match(application.id, /^p[0-9a-v]{26}$/);
    assert.equal(application.version, 1);
    assert.equal(application.url, `${server.address}/console/${application.id}`);
    assert.deepEqual(Object.keys(application).sort(), [
      'collections',
      'id',
      'name',
      'sharedUsersModeEnabled',
      'teamsModeEnabled',
      'url',
      'version',
    ]);
    const [visits, sites] = application.collections as [Collection, Collection];
    for (const { id, columns } of [visits, sites]) {
      assert.match(id, /^t[a-z0-9]{7}$/);
      for (const column of columns) assert.match(column.id, /^c[a-z0-9]{7}$/);
    }
    assert.deepEqual(visits, {
      id: visits.id,
      name: 'Visits',
      readAccessType: 'everyone',
      writeAccessType: 'everyone',
      columns: [
        { id: visits.columns[0]!.id, name: 'Title', type: 'String', unique: false, sortable: false, searchable: false },
        { id: visits.columns[1]!.id, name: 'Count', type: 'Number', unique: true, sortable: false, searchable: false },
        {
          id: visits.columns[2]!.id,
          name: 'Tags',
          type: 'Array',
          scheme: { element: { type: 'String' } },
          unique: false,
          sortable: false,
          searchable: false,
        },
      ],
    });
    assert.deepEqual(kinds(changes), ['application.create', 'collection.add', 'collection.add']);
    assert.deepEqual(
      changes.map(({ collectionId }) => collectionId),
      [undefined, visits.id, sites.id],
    );
    await assertNoDebris(server.database, application);
  });

  it('accepts identifiers from another installation', async () => {
    const id = `p${'z'.repeat(26)}`;
    const collections = [{ id: 't0000001', name: 'A', columns: [{ id: 'c0000001', name: 'B', type: 'Date' }] }];
    const { application } = await publish({ id, name: 'Brought along', collections });
    assert.equal(application.id, id);
    assert.equal(application.collections[0]?.id, 't0000001');
    assert.equal(application.collections[0]?.columns[0]?.id, 'c0000001');
  });

  it('has no changes and keeps the version when the same is published again', async () => {
    const { application } = await publish({ ...DOCUMENT, name: 'Again' });
    const again = await publish({ ...DOCUMENT, name: 'Again', id: application.id });
    assert.deepEqual(again, { application, changes: [] });
    const shown = await server.operator('GET', `/applications/${application.id}`);
    assert.deepEqual(await publish(shown.body), { application, changes: [] });
  });

  it('creates another application from the same document without an id', async () => {
    const one = await publish({ ...DOCUMENT, name: 'Twin' });
    const other = await publish({ ...DOCUMENT, name: 'Twin' });
    assert.notEqual(one.application.id, other.application.id);
    assert.equal(other.application.version, 1);
  });

  it('matches by name without an identifier, and renames with one', async () => {
    const { application } = await publish(DOCUMENT);
    const [visits, sites] = application.collections as [Collection, Collection];
    const renamed = await publish({
      id: application.id,
      name: 'Inspections',
      collections: [
        {
          id: visits.id,
          name: 'Calls',
          columns: [
            { id: visits.columns[0]!.id, name: 'Heading', type: 'String' },
            { name: 'Count', type: 'Number', unique: true },
            { name: 'Tags', type: 'Array', scheme: { element: { type: 'String' } } },
          ],
        },
        { name: 'Sites', columns: [{ name: 'Title', type: 'String' }] },
      ],
    });
    assert.deepEqual(kinds(renamed.changes), ['collection.rename', 'column.rename']);
    assert.equal(renamed.application.version, 2);
    const [calls, same] = renamed.application.collections as [Collection, Collection];
    assert.equal(calls.id, visits.id);
    assert.deepEqual(
      calls.columns.map(({ id }) => id),
      visits.columns.map(({ id }) => id),
    );
    assert.deepEqual(same, sites);
  });

  it('reports every kind of change, and increments the version', async () => {
    const key = (name: string) => ({ name, type: 'String' });
    const column = (more: object) => ({ name: 'A', type: 'Object', scheme: { keys: [key('x')] }, ...more });
    const collection = (...columns: object[]) => ({ name: 'C', columns });
    const { application } = await publish({ name: 'Kinds', collections: [collection(column({}))] });
    const both = { keys: [key('x'), key('y')] };
    const text = { name: 'B', type: 'String' };
    const base = { id: application.id, name: 'Kinds!' };
    const open = { readAccessType: 'creatorOnly' };
    const steps: [string[], object][] = [
      [['application.rename'], { collections: [collection(column({}))] }],
      [['settings'], { timeZone: 'Asia/Tokyo', collections: [collection(column({}))] }],
      [['settings'], { collections: [collection(column({}))] }],
      [['column.scheme'], { collections: [collection(column({ scheme: both }))] }],
      [['column.type'], { collections: [collection(column({}))] }],
      [['column.flags'], { collections: [collection(column({ searchable: true }))] }],
      [['column.add'], { collections: [collection(column({ searchable: true }), text)] }],
      [['order'], { collections: [collection(text, column({ searchable: true }))] }],
      [['column.type'], { collections: [collection({ ...text, type: 'Date' }, column({ searchable: true }))] }],
      [['column.remove'], { collections: [collection(column({ searchable: true }))] }],
      [['collection.access'], { collections: [{ ...collection(column({ searchable: true })), ...open }] }],
      [['collection.add', 'collection.remove'], { collections: [{ name: 'D', columns: [] }] }],
      [['collection.remove'], { collections: [] }],
    ];
    let version = 1;
    for (const [expected, document] of steps) {
      const dry = await publish({ ...base, ...document }, '?dryRun=true');
      const done = await publish({ ...base, ...document }, '?allowDataLoss=true');
      assert.deepEqual(kinds(done.changes), expected);
      assert.deepEqual(kinds(dry.changes), expected);
      version += 1;
      assert.equal(dry.application.version, version);
      assert.equal(done.application.version, version);
      await assertNoDebris(server.database, done.application);
    }
  });

  it('does nothing in a dry run, not even for a new application', async () => {
    const before = await server.operator('GET', '/applications');
    const dry = await publish({ ...DOCUMENT, organization: 'Never made' }, '?dryRun=true');
    assert.equal(dry.application.version, 1);
    assert.deepEqual(kinds(dry.changes), ['application.create', 'collection.add', 'collection.add']);
    assert.deepEqual((await server.operator('GET', '/applications')).body, before.body);
    assert.equal((await server.operator('GET', `/applications/${dry.application.id}`)).status, 404);
    assert.equal((await server.operator('GET', '/organizations/Never%20made')).status, 404);
    const schemas = await server.database.sql("select 1 from pg_namespace where nspname = 'app_' || $1", [
      dry.application.id,
    ]);
    assert.deepEqual(schemas, []);
  });

  it('keeps every setting, and goes back to the default where one is left out', async () => {
    const settings = {
      organization: 'Settings & Söhne',
      timeZone: 'Asia/Tokyo',
      plan: 'enterprise',
      limits: { 'records-read': 100_000 },
      sharedUsersModeEnabled: false,
      teamsModeEnabled: true,
      pushNotificationsEnabled: true,
      activityLogEnabled: true,
      maxAttachmentBytes: 1_000_000,
      allowedOrigins: ['https://app.example.com', 'http://localhost:5173'],
      profiles: ['Standard', 'Visitor'],
      teams: ['Tokyo', 'Osaka'],
    };
    const { application } = await publish({ name: 'Settings', ...settings, collections: [] });
    const shown = await server.operator('GET', `/applications/${application.id}`);
    assert.deepEqual(shown.body, { id: application.id, name: 'Settings', ...settings, collections: [] });
    assert.equal((await server.operator('GET', '/organizations/Settings%20%26%20S%C3%B6hne')).status, 200);
    const plain = await publish({ id: application.id, name: 'Settings', collections: [] });
    assert.equal(plain.application.version, 2);
    assert.ok(plain.changes.length > 0 && plain.changes.every(({ kind }) => kind === 'settings'));
    const back = await server.operator('GET', `/applications/${application.id}`);
    assert.deepEqual(back.body, {
      id: application.id,
      name: 'Settings',
      organization: 'Default',
      timeZone: 'UTC',
      plan: 'unlimited',
      limits: {},
      sharedUsersModeEnabled: false,
      teamsModeEnabled: false,
      pushNotificationsEnabled: false,
      activityLogEnabled: false,
      maxAttachmentBytes: 52_428_800,
      allowedOrigins: [],
      profiles: ['Standard'],
      teams: [],
      collections: [],
    });
  });

  it('finds what references refer to by name and by identifier', async () => {
    const byName = { name: 'Site', type: 'ReferenceString', scheme: { collection: 'Sites', column: 'Title' } };
    const sites = { name: 'Sites', columns: [{ name: 'Title', type: 'String' }] };
    const { application } = await publish({
      name: 'References',
      collections: [{ name: 'Visits', columns: [byName] }, sites],
    });
    const [visits, made] = application.collections as [Collection, Collection];
    const scheme = { collectionId: made.id, columnId: made.columns[0]!.id };
    assert.deepEqual((visits.columns[0] as { scheme?: object }).scheme, scheme);
    const byId = { name: 'Site', type: 'ReferenceString', scheme };
    const again = await publish({
      id: application.id,
      name: 'References',
      collections: [{ name: 'Visits', columns: [byId] }, sites],
    });
    assert.deepEqual(again, { application, changes: [] });
  });

  it('reports all problems of a document at once', async () => {
    const reply = await send({
      name: '',
      timeZone: 'Mars/Olympus',
      plan: 'gold',
      surprise: 1,
      collections: [
        {
          name: 'A',
          columns: [
            { name: 'B', type: 'Text' },
            { name: 'C', type: 'Location', unique: true },
          ],
        },
        { name: 'A', columns: [{ name: 'D', type: 'ReferenceString', scheme: { collection: 'No', column: 'No' } }] },
      ],
    });
    assert.equal(reply.status, 400);
    assert.equal(reply.body.code, 'INVALID_DEFINITION');
    const problems = reply.body.params.problems as { path: string; reason: string }[];
    assert.deepEqual(problems.map(({ path }) => path).sort(), [
      '/collections/0/columns/0/type',
      '/collections/0/columns/1/unique',
      '/collections/1/columns/0/scheme/collection',
      '/collections/1/name',
      '/name',
      '/plan',
      '/surprise',
      '/timeZone',
    ]);
    for (const { reason } of problems) assert.ok(reason.length > 5, reason);
  });

  it('refuses an unknown referred collection that only the published application could have shown', async () => {
    const { application } = await publish({ name: 'Dangling', collections: [{ name: 'A', columns: [] }] });
    const scheme = { collectionId: 't0000000', columnId: 'c0000000' };
    const document = {
      id: application.id,
      name: 'Dangling',
      collections: [{ name: 'A', columns: [{ name: 'B', type: 'ReferenceString', scheme }] }],
    };
    const reply = await send(document);
    assert.equal(reply.status, 400, reply.text);
    assert.equal(reply.body.code, 'INVALID_DEFINITION');
    assert.equal(reply.body.params.problems[0].path, '/collections/0/columns/0/scheme/collectionId');
    assert.equal((await send(document, '?dryRun=true')).status, 400);
  });

  it('refuses bodies that are no document', async () => {
    for (const body of [null, [], 'text', 1]) {
      const reply = await send(body);
      assert.equal(reply.status, 400, reply.text);
      assert.equal(reply.body.code, 'INVALID_DEFINITION');
    }
  });

  it('refuses unreadable parameters, bodies and content types', async () => {
    for (const name of ['dryRun', 'allowDataLoss']) {
      const reply = await send(DOCUMENT, `?${name}=maybe`);
      assert.equal(reply.status, 400);
      assert.equal(reply.body.code, 'INVALID_PARAMETER');
      assert.equal(reply.body.params.parameter, name);
    }
    const raw = (body: string, headers: Record<string, string> = { 'content-type': 'application/json' }) =>
      server.send('POST', '/operator/v1/applications', { token: OPERATOR_KEY, raw: body, headers });
    const broken = await raw('{"name": ');
    assert.equal(broken.status, 400);
    assert.equal(broken.body.code, 'INVALID_BODY');
    const typed = await raw('{}', { 'content-type': 'text/plain' });
    assert.equal(typed.status, 400);
    assert.equal(typed.body.code, 'INVALID_CONTENT_TYPE');
    const large = await raw(JSON.stringify({ ...DOCUMENT, name: 'x'.repeat(10 * 1024 * 1024) }));
    assert.equal(large.status, 400);
    assert.equal(large.body.code, 'INVALID_BODY');
    assert.equal(large.body.params.maxBytes, 10 * 1024 * 1024);
  });

  it('publishes a document that is larger than an ordinary body', async () => {
    const columns = Array.from({ length: 200 }, (_, i) => ({ name: `${i} ${'n'.repeat(150)}`, type: 'String' }));
    const collections = Array.from({ length: 5 }, (_, i) => ({ name: `C${i}`, columns }));
    const document = { name: 'Large', collections };
    assert.ok(JSON.stringify(document).length > 102_400);
    const { application } = await publish(document);
    assert.equal(application.collections[4]?.columns.length, 200);
  });

  it('refuses to switch shared-users mode if there are users', async () => {
    const { application } = await publish({ name: 'Modes', collections: [] });
    const base = { id: application.id, name: 'Modes', collections: [] };
    await publish({ ...base, sharedUsersModeEnabled: true });
    await publish(base);
    const user = await server.operator('POST', `/applications/${application.id}/users`, {
      name: 'One',
      email: 'one@example.com',
      password: 'Secret-Passw0rd',
      admin: true,
      apiAccess: true,
      managementApiAccess: true,
      profile: { name: 'Standard' },
    });
    assert.equal(user.status, 200, user.text);
    for (const query of ['', '?dryRun=true', '?allowDataLoss=true']) {
      const refused = await send({ ...base, sharedUsersModeEnabled: true }, query);
      assert.equal(refused.status, 409);
      assert.deepEqual(refused.body, { code: 'MODE_HAS_USERS', params: { users: 1 } });
    }
    const shown = await server.operator('GET', `/applications/${application.id}`);
    assert.equal(shown.body.sharedUsersModeEnabled, false);
    assert.equal((await publish({ ...base, name: 'Other name' })).application.version, 4);
  });
});
