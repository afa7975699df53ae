// A server on a Citus cluster with a role that is no superuser, and what it says when a node refuses the role. Run where
// CARTULARY_TEST_DATABASE_URL names a coordinator (npm run test:citus).

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import type pg from 'pg';
import { publishApplication, string } from '../support/application.ts';
import { isCitus } from '../support/citus.ts';
import { withClient } from '../support/client.ts';
import { assertPlain, databaseUrl, run, withFolder } from '../support/command.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { everywhere } from '../support/nodes.ts';
import { startTestServer } from '../support/server.ts';

const COLLECTIONS = [{ name: 'Notes', columns: [{ name: 'Title', type: 'String', searchable: true }] }];
/** So that what follows is done on the node alone. */
const ALONE = 'set citus.enable_ddl_propagation = off';

describe('a role that is no superuser, on a cluster', {
  skip: (await isCitus()) ? false : 'this PostgreSQL is no Citus',
}, () => {
  const role = `role_${randomBytes(6).toString('hex')}`;
  let database: TestDatabase;

  const alone = (node: pg.ClientConfig, text: string) =>
    withClient(node, async (client) => {
      await client.query(ALONE);
      await client.query(text);
    });
  const grant = () => `grant create on database ${database.connection.database} to ${role}`;
  const ofRole = (): TestDatabase => ({ ...database, connection: { ...database.connection, user: role } });

  before(async () => {
    database = await createDatabase();
    for (const node of database.nodes) await alone(node, `create role ${role} login`);
    await database.drop();
  });
  after(async () => {
    const rest = await createDatabase();
    for (const node of rest.nodes) await alone(node, `drop role if exists ${role}`);
    await rest.drop();
  });
  beforeEach(async () => {
    database = await createDatabase();
  });
  afterEach(() => database.drop());

  const serve = async (pattern: RegExp) => {
    await withFolder(async (cwd) => {
      const env = { DATABASE_URL: databaseUrl(ofRole()), CARTULARY_DATA: cwd, CARTULARY_PORT: '0' };
      assertPlain(await run(['serve'], { cwd, input: '', env }), pattern, 'failed');
    });
  };

  for (const citusDirect of [false, true]) {
    it(`needs nothing but to create schemas${citusDirect ? ', directly' : ''}`, async () => {
      await database.sql(grant());
      const server = await startTestServer({ database: ofRole(), citusDirect });
      try {
        const app = await publishApplication(server, { collections: COLLECTIONS });
        const json = { values: { [app.ids.Notes!.Title!]: string('a') } };
        assert.equal((await app.send('POST', app.records('Notes'), { json })).status, 200);
        assert.equal((await server.operator('GET', `/applications/${app.id}/use`)).status, 200);
        assert.equal((await server.operator('DELETE', `/applications/${app.id}`)).status, 204);
      } finally {
        await server.close();
      }
      const rights = await everywhere(database, `select rolsuper from pg_roles where rolname = '${role}'`);
      assert.deepEqual(rights.flat(), [false, false, false]);
    });
  }

  it('is told which worker does not let it create schemas', async () => {
    await alone(database.nodes[0]!, grant());
    await serve(/^The worker \S+:\d+ refused: permission denied for database .* on every node: grant create/m);
  });

  it('is told which worker does not know it', async () => {
    await database.sql(grant());
    const [, , last] = database.nodes as [pg.ClientConfig, pg.ClientConfig, pg.ClientConfig];
    await alone(last, `alter role ${role} nologin`);
    await alone(last, `alter role ${role} rename to ${role}_away`);
    try {
      await serve(/^The worker \S+:\d+ refused: role "\w+" does not exist/m);
    } finally {
      await alone(last, `alter role ${role}_away rename to ${role}`);
      await alone(last, `alter role ${role} login`);
    }
  });
});
