// The versions of an application that are kept, their documents, and the way back.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { VERSIONS_MAX } from '../../src/store/applications/published-definitions.ts';
import { publishApplication } from '../support/application.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { schemaOf } from '../support/stored-records.ts';

const COLLECTIONS = [{ name: 'Things', columns: [{ name: 'Title', type: 'String' }] }];

describe('versions of an application', () => {
  let server: TestServer;

  before(async () => {
    server = await startTestServer();
  });
  after(() => server.close());

  const documentOf = async (id: string) => (await server.operator('GET', `/applications/${id}`)).body;
  const versionsOf = async (id: string) => (await server.operator('GET', `/applications/${id}/versions`)).body;
  const kindsOf = (versions: { changes: { kind: string }[] | null }[]) =>
    versions.map(({ changes }) => changes?.map(({ kind }) => kind) ?? null);

  it('are listed with what each changed, and lead back', async () => {
    const app = await publishApplication(server, { name: 'Kept', collections: COLLECTIONS });
    const first = await documentOf(app.id);
    await server.operator('POST', '/applications', { ...first, name: 'Kept and renamed' });
    await server.operator('PUT', `/applications/${app.id}/quotas`, { plan: 'basic' });
    const versions = await versionsOf(app.id);
    assert.deepEqual(
      versions.map(({ version }: { version: number }) => version),
      [3, 2, 1],
    );
    assert.deepEqual(kindsOf(versions).slice(0, 2), [['settings'], ['application.rename']]);
    const shown = await server.operator('GET', `/applications/${app.id}/versions/1`);
    assert.deepEqual(shown.body, first);
    assert.deepEqual(
      (await server.operator('GET', `/applications/${app.id}/versions/3`)).body,
      await documentOf(app.id),
    );
    assert.equal((await server.operator('POST', '/applications', shown.body)).body.application.version, 4);
    assert.deepEqual(await documentOf(app.id), first);
  });

  it('include the one that was published before versions were kept', async () => {
    const app = await publishApplication(server, { name: 'Old', collections: COLLECTIONS });
    const old = await documentOf(app.id);
    await server.database.sql(`delete from ${schemaOf(app.id)}.published_definitions`);
    assert.deepEqual(kindsOf(await versionsOf(app.id)), [null]);
    await server.operator('POST', '/applications', { ...old, name: 'New' });
    assert.deepEqual(kindsOf(await versionsOf(app.id)), [['application.rename'], null]);
    assert.deepEqual((await server.operator('GET', `/applications/${app.id}/versions/1`)).body, old);
  });

  it('are kept up to a number', async () => {
    const app = await publishApplication(server, { name: 'Busy', collections: COLLECTIONS });
    const table = `${schemaOf(app.id)}.published_definitions`;
    await server.database.sql(`update cartulary.applications set version = ${VERSIONS_MAX} where id = '${app.id}'`);
    const [first] = await server.database.sql(`select definition from ${table} where version = 1`);
    const rows = Array.from({ length: VERSIONS_MAX - 1 }, (_, n) => `(${n + 2}, now(), $1, '[]')`);
    await server.database.sql(`insert into ${table} values ${rows.join(', ')}`, [first?.[0]]);
    assert.equal((await versionsOf(app.id)).length, VERSIONS_MAX);
    await server.operator('POST', '/applications', { ...(await documentOf(app.id)), name: 'Busier' });
    const versions = await versionsOf(app.id);
    assert.deepEqual(
      [versions.length, versions[0].version, versions.at(-1).version],
      [VERSIONS_MAX, VERSIONS_MAX + 1, 2],
    );
  });

  it('are not found where there are none', async () => {
    const app = await publishApplication(server, { collections: [] });
    for (const version of ['2', '0', 'x', '99999999999']) {
      const { status, body } = await server.operator('GET', `/applications/${app.id}/versions/${version}`);
      assert.deepEqual([status, body.code], [404, 'NOT_FOUND'], version);
    }
    assert.equal(
      (await server.operator('GET', `/applications/p${'0'.repeat(26)}/versions`)).body.code,
      'APPLICATION_NOT_FOUND',
    );
  });
});
