// Uploads and announcements with an Idempotency-Key: one attachment and one file on disk, whatever is repeated.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, beforeEach, describe, it } from 'node:test';
import { releaseKeys } from '../../src/operations/upkeep/unreleased-uploads.ts';
import { ActiveUploads } from '../../src/store/attachments/active-uploads.ts';
import { Database } from '../../src/store/database/database.ts';
import { publishApplication } from '../support/application.ts';
import {
  type AttachmentScene,
  attachmentActivities,
  type BytesReply,
  type Files,
  filesOf,
  openAttachments,
  randomFile,
  refusedBytes,
  traces,
  untilGone,
  uploaded,
} from '../support/attachments.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { head, Wire } from '../support/http-client.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { type TroubledWire, troubleWire } from '../support/troubled-wire.ts';
import { until } from '../support/until.ts';
import { DOCUMENT, type Uploads, uploadsOf } from '../support/uploads.ts';

describe('an upload with an Idempotency-Key', () => {
  let database: TestDatabase;
  let wire: TroubledWire;
  let scene: AttachmentScene;
  let second: TestServer;
  let files: Files;
  let elsewhere: Files;
  let uploads: Uploads;
  let key: string;

  before(async () => {
    database = await createDatabase();
    wire = await troubleWire(database.connection);
    scene = await openAttachments('disk', DOCUMENT, { database, connection: wire.connection });
    second = await startTestServer({ database, attachments: scene.store.place });
    files = filesOf(scene, 'Files');
    elsewhere = filesOf({ server: second, app: scene.app }, 'Files');
    uploads = uploadsOf(scene.server.address, scene.app);
  });
  beforeEach(() => {
    key = randomUUID();
  });
  after(async () => {
    await second.close();
    await scene.close();
    await wire.close();
    await database.drop();
  });

  const keyed = (headers: Record<string, string> = {}) => ({ 'idempotency-key': key, ...headers });
  const replayed = ({ headers }: BytesReply) => headers['idempotency-replayed'];
  const named = (name: string) => ({ 'content-disposition': `attachment; filename="${name}"` });
  const created = async () => (await attachmentActivities(scene)).filter(({ subType }) => subType === 'create').length;
  const claims = () =>
    database.sql(`select key from app_${scene.app.id}.idempotency_keys where status is null order by key`);

  function form(content: string): { body: string; headers: Record<string, string> } {
    const boundary = randomUUID();
    const part = `content-disposition: form-data; name="file"; filename="a.txt"\r\ncontent-type: text/plain`;
    const body = `--${boundary}\r\n${part}\r\n\r\n${content}\r\n--${boundary}--\r\n`;
    return { body, headers: keyed({ 'content-type': `multipart/form-data; boundary=${boundary}` }) };
  }

  it('is stored and logged once, small or large, and replied to alike on every server', async () => {
    for (const bytes of [Buffer.from('small'), randomFile(700_000)]) {
      key = randomUUID();
      const logged = await created();
      const first = await files.send(bytes, keyed(named('a.bin')));
      const { id } = uploaded(first);
      assert.equal(replayed(first), undefined);
      const before = await traces(scene);
      for (const again of [
        await files.send(bytes, keyed(named('a.bin'))),
        await elsewhere.send(bytes, keyed(named('a.bin')), { chunked: true }),
      ]) {
        assert.equal(replayed(again), 'true');
        assert.deepEqual(again.body, first.body);
      }
      assert.deepEqual(await traces(scene), before, 'no second file, not even for a moment that lasts');
      assert.ok((await files.get(id)).bytes.equals(bytes));
      assert.equal(await created(), logged + 1);
    }
  });

  it('is another request with another content, name, type, place or creator', async () => {
    uploaded(await files.send('content', keyed(named('a.txt'))));
    const before = await traces(scene);
    const others = filesOf(scene, 'Others');
    for (const reply of [
      await files.send('other content', keyed(named('a.txt'))),
      await files.send('content', keyed(named('b.txt'))),
      await files.send('content', keyed({ ...named('a.txt'), 'content-type': 'text/html' })),
      await files.send('content', keyed({ ...named('a.txt'), 'x-service-creatorid': scene.app.admin.id })),
      await others.send('content', keyed(named('a.txt'))),
    ]) {
      refusedBytes(reply, 422, 'IDEMPOTENCY_KEY_REUSED');
    }
    assert.deepEqual(await traces(scene), before);
  });

  it('is the same one in a form with another boundary, and another with other content', async () => {
    const send = ({ body, headers }: ReturnType<typeof form>) => files.send(body, headers);
    const first = await send(form('in a form'));
    const before = await traces(scene);
    uploaded(first);
    const again = await send(form('in a form'));
    assert.equal(replayed(again), 'true');
    assert.deepEqual(again.body, first.body);
    refusedBytes(await send(form('something else')), 422, 'IDEMPOTENCY_KEY_REUSED');
    assert.deepEqual(await traces(scene), before);
  });

  it('is under way while its bytes arrive, and can be sent again once its client has left', async () => {
    const before = await traces(scene);
    const headers = { authorization: `Bearer ${scene.app.admin.token}`, ...keyed(), 'content-length': '10' };
    const sending = await Wire.open(scene.server.address);
    sending.write(head('POST', files.path, headers)).write('01234');
    await until('the key to be taken', async () => (await claims()).length === 1);
    for (const place of [files, elsewhere]) {
      const reply = await place.send('0123456789', keyed());
      refusedBytes(reply, 409, 'IDEMPOTENCY_KEY_IN_USE');
      assert.equal(reply.headers['retry-after'], '1');
    }
    sending.close();
    await untilGone(scene, before);
    await until('the key to be free', async () => (await claims()).length === 0);
    const reply = await elsewhere.send('0123456789', keyed());
    uploaded(reply);
    assert.equal(replayed(reply), undefined);
  });

  it('takes the key over from a node that is gone', async () => {
    const fingerprints = `select fingerprint from app_${scene.app.id}.idempotency_keys where key = $1`;
    uploaded(await files.send('content', keyed()));
    const [[fingerprint] = []] = await database.sql(fingerprints, [key]);
    const left = randomUUID();
    await database.sql(
      `insert into app_${scene.app.id}.idempotency_keys
         (user_id, key, fingerprint, created_at, attachment_id, node) values ($1, $2, $3, now(), $4, 'gone')`,
      [scene.app.admin.id, left, fingerprint, `a${'0'.repeat(26)}`],
    );
    key = left;
    const reply = await files.send('content', keyed());
    uploaded(reply);
    assert.equal(replayed(reply), undefined);
    assert.equal(replayed(await elsewhere.send('content', keyed())), 'true');
  });

  it('has its key released later if the database was away when it failed', async () => {
    const own = Database.open({
      ...{ connection: database.connection, connectionsMax: 2, onConnectionError: () => undefined },
    });
    const activeUploads = new ActiveUploads();
    const [kept, released] = [`a${'1'.repeat(26)}`, `a${'2'.repeat(26)}`];
    for (const attachmentId of [kept, released]) {
      await database.sql(
        `insert into app_${scene.app.id}.idempotency_keys
           (user_id, key, fingerprint, created_at, attachment_id, node) values ('u', $1, '', now(), $1, 'this')`,
        [attachmentId],
      );
    }
    const applications = { [released]: scene.app.id, [`a${'3'.repeat(26)}`]: 'anowhere' };
    for (const [id, applicationId] of Object.entries(applications)) {
      activeUploads.unreleasedKeys.set(id, { applicationId, userId: 'u', key: id });
    }
    await releaseKeys({ database: own, attachments: { node: 'this', activeUploads } });
    await own.close();
    assert.deepEqual(await claims(), [[kept]]);
    assert.equal(activeUploads.unreleasedKeys.size, 0);
    await database.sql(`delete from app_${scene.app.id}.idempotency_keys where key = $1`, [kept]);
  });

  it('is there once when its server did not hear of the commit', async () => {
    // Of its own: the wire knows a statement when it is prepared.
    const app = await publishApplication(scene.server, DOCUMENT);
    const lost = wire.lose("state = 'available', size");
    const first = await filesOf({ server: scene.server, app }, 'Files').send('unheard', keyed());
    await lost.met;
    let again = first;
    await until('a reply', async () => {
      again = await filesOf({ server: second, app }, 'Files').send('unheard', keyed());
      return again.status !== 409;
    });
    uploaded(again);
    if (first.status === 200) assert.deepEqual(again.body, first.body);
    await until('one attachment to be left', async () => {
      const rows = await database.sql(`select id, state from app_${app.id}.attachments`);
      return rows.length === 1 && rows[0]?.[0] === again.body.id && rows[0]?.[1] === 'available';
    });
  });

  it('gets a refusal again that came before the bytes, and none for a body that was not read', async () => {
    const nowhere = filesOf(scene, 'tnowhere');
    const first = await nowhere.send('content', keyed());
    refusedBytes(first, 404, 'COLLECTION_NOT_FOUND');
    const again = await nowhere.send('content', keyed());
    refusedBytes(again, 404, 'COLLECTION_NOT_FOUND');
    assert.equal(replayed(again), 'true');
    refusedBytes(await files.send('content', keyed()), 422, 'IDEMPOTENCY_KEY_REUSED');
    key = randomUUID();
    const { body, headers } = form('a form');
    refusedBytes(await files.send(body.slice(0, -10), headers), 400, 'INVALID_BODY');
    const reply = await files.send(body, headers);
    uploaded(reply);
    assert.equal(replayed(reply), undefined);
  });

  it('is announced once', async () => {
    for (const size of [5, 0]) {
      key = randomUUID();
      const first = await uploads.announce(size, keyed());
      assert.equal(first.status, 201, JSON.stringify(first.body));
      const before = await traces(scene);
      const again = await uploads.announce(size, keyed());
      assert.equal(again.status, 201, JSON.stringify(again.body));
      assert.equal(replayed(again), 'true');
      for (const name of ['location', 'upload-offset', 'tus-resumable']) {
        assert.equal(again.headers[name], first.headers[name], name);
      }
      assert.deepEqual(again.body, first.body);
      assert.deepEqual(await traces(scene), before);
      const other = await uploads.announce(size + 1, keyed());
      refusedBytes(other, 422, 'IDEMPOTENCY_KEY_REUSED');
      assert.equal(other.headers['tus-resumable'], '1.0.0');
      if (size === 0) assert.equal((await files.get(first.body.id)).status, 200);
    }
  });
});
