// An application that is moved to another worker while it is used in every way: files arrive in parts and at once, records are
// written, and another version is published. Run where CARTULARY_TEST_DATABASE_URL names a coordinator (npm run test:citus).

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { publishApplication, string, type TestApplication } from '../support/application.ts';
import { exchange, sha256 } from '../support/attachments.ts';
import { isCitus } from '../support/citus.ts';
import { databaseUrl, run, withFolder } from '../support/command.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { schemaOf } from '../support/stored-records.ts';
import { DOCUMENT, type Uploads, uploadsOf } from '../support/uploads.ts';

const PART_BYTES = 20_000;
const PARTS = 5;
const MOVES = 2;
const FILE = { 'content-type': 'application/octet-stream', 'content-disposition': 'attachment; filename="a.bin"' };

for (const direct of [false, true]) {
  describe(`an application that is moved while it is used ${direct ? 'directly' : 'through the coordinator'}`, {
    skip: (await isCitus()) ? false : 'this PostgreSQL is no Citus',
  }, () => {
    let database: TestDatabase;
    let server: TestServer;
    let app: TestApplication;
    let uploads: Uploads;
    let moving = true;

    before(async () => {
      database = await createDatabase();
      server = await startTestServer({ database, citusDirect: direct });
      app = await publishApplication(server, DOCUMENT);
      uploads = uploadsOf(server.address, app);
    });
    after(async () => {
      await server.close();
      await database.drop();
    });

    /** The bytes of each file that was acknowledged, by its identifier. */
    const files = new Map<string, Buffer>();
    const records: string[] = [];

    /** Does `work` again and again until the moves are over, and at least once. */
    async function whileMoving(work: (n: number) => Promise<void>): Promise<number> {
      let times = 0;
      do await work(times++);
      while (moving);
      return times;
    }

    async function uploadInParts(n: number): Promise<void> {
      const bytes = Buffer.alloc(PART_BYTES * PARTS, `part ${n} `);
      const { id } = await uploads.announced(bytes.length);
      for (let offset = 0; offset < bytes.length; offset += PART_BYTES) {
        const reply = await uploads.append(id, offset, bytes.subarray(offset, offset + PART_BYTES));
        assert.equal(reply.status, 204, JSON.stringify(reply.body));
        assert.equal(await uploads.offset(id), offset + PART_BYTES);
      }
      files.set(id, bytes);
    }

    async function uploadAtOnce(n: number): Promise<void> {
      const raw = Buffer.alloc(PART_BYTES, `whole ${n} `);
      const path = `/collections/${app.ids.Files!.id}/attachments`;
      const reply = await app.send('POST', path, { raw, headers: FILE });
      assert.equal(reply.status, 200, reply.text);
      files.set(reply.body.id, raw);
    }

    async function createRecord(n: number): Promise<void> {
      const json = { values: { [app.ids.Files!.Title!]: string(`title ${n}`) } };
      const reply = await app.send('POST', app.records('Files'), { json });
      assert.equal(reply.status, 200, reply.text);
      records.push(reply.body.id);
    }

    async function publish(n: number): Promise<void> {
      const [first, others] = DOCUMENT.collections as [(typeof DOCUMENT.collections)[0], object];
      const columns = first.columns.map((column) => ({
        ...column,
        id: app.ids.Files![column.name],
        sortable: n % 2 === 0,
      }));
      const document = { ...DOCUMENT, name: 'Test', activityLogEnabled: true, id: app.id };
      const reply = await server.operator('POST', '/applications', {
        ...document,
        collections: [
          { ...first, columns },
          { ...others, columns: [{ id: app.ids.Others!.File, name: 'File', type: 'Attachment' }] },
        ],
      });
      assert.equal(reply.status, 200, reply.text);
    }

    async function move(): Promise<void> {
      const [[target]] = (await database.sql(
        `select n.nodename || ':' || n.nodeport from pg_dist_node n where shouldhaveshards and not exists (
           select from pg_dist_shard join pg_dist_placement p using (shardid)
           where logicalrelid = $1::regclass and p.groupid = n.groupid)`,
        [`${schemaOf(app.id)}.fence`],
      )) as [[string]];
      await withFolder(async (cwd) => {
        const env = { DATABASE_URL: databaseUrl(database) };
        const moved = await run(['cluster', 'move', app.id, target], { cwd, input: '', env });
        assert.equal(moved.code, 0, moved.stderr);
      });
    }

    it('refuses no client, and loses nothing', async (t) => {
      const using = [uploadInParts, uploadAtOnce, createRecord, createRecord, publish].map(whileMoving);
      try {
        for (let n = 0; n < MOVES; n++) await move();
      } finally {
        moving = false;
        t.diagnostic((await Promise.all(using)).join(' '));
      }
      for (const [id, bytes] of files) {
        const path = `/v1/${app.id}/collections/${app.ids.Files!.id}/attachments/${id}`;
        const reply = await exchange(server.address, 'GET', path, { token: app.admin.token });
        assert.equal(reply.status, 200);
        assert.equal(sha256(reply.bytes), sha256(bytes));
      }
      for (const id of records) assert.equal((await app.send('GET', app.records('Files', id))).status, 200);
    });
  });
}
