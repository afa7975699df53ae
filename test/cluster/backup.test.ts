// A backup of a Citus cluster while others write. Run where CARTULARY_TEST_DATABASE_URL names a coordinator (npm run test:citus).

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { backUp, elsewhere, receiveBackup, restoreInto } from '../backup/archives.ts';
import { openPlace, openScene, type Place, type Scene } from '../people/scene.ts';
import { publishApplication, string, type TestApplication } from '../support/application.ts';
import { isCitus } from '../support/citus.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { schemaOf } from '../support/stored-records.ts';
import { until } from '../support/until.ts';

/** The tables of an application are copied in the order of their names, and those that refer to others afterwards. */
const COLLECTIONS = [
  { id: 'ta000001', name: 'Large', columns: [{ name: 'Text', type: 'String' }] },
  { id: 'tb000001', name: 'Later', columns: [{ name: 'Photo', type: 'Attachment' }] },
];
/** More than the sockets hold, so that the backup waits for its reader. */
const LARGE = { records: 24, bytes: 900_000 };
/** Applications are copied in the order of their identifiers. */
const idOf = (digit: string) => `p${digit.repeat(26)}`;

describe('a backup of a cluster', { skip: (await isCitus()) ? false : 'this PostgreSQL is no Citus' }, () => {
  let server: Scene;
  let target: TestServer;
  let app: TestApplication;
  let place: Place;

  before(async () => {
    [server, target] = await Promise.all([openScene(), startTestServer()]);
    app = await publishApplication(server, { id: idOf('1'), collections: COLLECTIONS });
    place = await openPlace(server, { sharedUsersModeEnabled: true, teamsModeEnabled: false }, { id: idOf('2') });
    const values = { [app.ids.Large!.Text!]: string('x'.repeat(LARGE.bytes)) };
    for (let n = 0; n < LARGE.records; n++) {
      const made = await app.send('POST', app.records('Large'), { json: { values } });
      assert.equal(made.status, 200, made.text);
    }
  });
  after(async () => {
    await Promise.all([server.close(), target.close()]);
  });

  /** Makes a backup, and calls `work` while it is in the middle of the first application. */
  async function backupAround(work: () => Promise<void>): Promise<Buffer> {
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const receiving = receiveBackup(server.address, '', () => released);
    try {
      await until('the large table to be copied', async () => {
        const copying = `select from pg_stat_activity where state = 'active' and query like $1`;
        return (await server.database.sql(copying, [`copy ${schemaOf(app.id)}.ta000001 %`])).length > 0;
      });
      await work();
    } finally {
      release();
    }
    const { status, archive } = await receiving;
    assert.equal(status, 200);
    return archive;
  }

  /** With a delivery: a row that refers to another. */
  async function insertNotification(): Promise<void> {
    const [id, at, schema] = [randomUUID(), new Date(), schemaOf(app.id)];
    await server.sql(
      `insert into ${schema}.notifications (id, user_id, created_by, message, created_at) values ($1, $2, $2, '{}', $3)`,
      [id, app.admin.id, at],
    );
    await server.sql(
      `insert into ${schema}.deliveries (notification_id, device_id, state, attempts, due_at, finished_at)
       values ($1, 'gone', 'gone', 1, $2, $2)`,
      [id, at],
    );
  }

  async function createWithPhoto(): Promise<void> {
    const uploaded = await app.send('POST', `/collections/${app.ids.Later!.id}/attachments`, { raw: 'a picture' });
    assert.equal(uploaded.status, 200, uploaded.text);
    const values = { [app.ids.Later!.Photo!]: { type: 'Attachment', id: uploaded.body.id } };
    const created = await app.send('POST', app.records('Later'), { json: { values } });
    assert.equal(created.status, 200, created.text);
  }

  it('has each application as of one moment, and what it refers to', async () => {
    await insertNotification();
    await createWithPhoto();
    const archive = await backupAround(async () => {
      await insertNotification();
      await createWithPhoto();
      // The second application is copied after this.
      await place.add('Late');
    });
    const restored = await restoreInto(target, archive);
    assert.equal(restored.status, 200, restored.text);
    assert.equal(restored.body.missing, 0);
    const there = elsewhere(app, target);
    assert.equal((await there.send('GET', there.records('Large'))).body.length, LARGE.records);
    assert.equal((await there.send('GET', there.records('Later'))).body.length, 1, 'not what came later');
    const countOf = async (table: string) =>
      Number((await target.database.sql(`select count(*) from ${schemaOf(app.id)}.${table}`))[0]?.[0]);
    assert.deepEqual(
      await Promise.all(['notifications', 'deliveries', 'attachments'].map(countOf)),
      [1, 1, 1],
      'tables that are copied before and after',
    );
    const used = await target.database.sql(`select shared_user_id from ${schemaOf(place.id)}.users`);
    const known = new Set((await target.database.sql('select id from cartulary.shared_users')).flat());
    assert.equal(used.length, 2);
    for (const [id] of used) assert.ok(known.has(id), 'a user whose shared user is missing');
  });

  it('of one application has the people it refers to', async () => {
    const archive = await backUp(server, `?application=${place.id}`);
    const beside = await startTestServer();
    try {
      assert.equal((await restoreInto(beside, archive)).status, 200);
      const names = await beside.database.sql('select name from cartulary.shared_users order by name');
      assert.deepEqual(names.flat(), ['Admin', 'Late']);
    } finally {
      await beside.close();
    }
  });
});
