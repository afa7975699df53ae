// What interrupts an announced upload, and how it goes on: vanished clients, clients that come back too early, other
// servers on the same database and store, and bytes that cannot be joined for a while.

import assert from 'node:assert/strict';
import { readdir, rename } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';
import type { Observation } from '../../src/events/events.ts';
import { createBlobs } from '../../src/store/blobs/open.ts';
import {
  type AttachmentScene,
  type Files,
  filesOf,
  onBothStores,
  openAttachments,
  randomFile,
  refusedBytes,
  sha256,
} from '../support/attachments.ts';
import { assertProblem } from '../support/http-client.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { bytesOf } from '../support/sweeping.ts';
import { until } from '../support/until.ts';
import { assertAppended, DOCUMENT, MIB, type Uploads, uploadsOf } from '../support/uploads.ts';

onBothStores('an interrupted announced upload', { document: DOCUMENT }, (scene) => {
  let uploads: Uploads;
  let files: Files;
  let second: TestServer;
  /** The same, as the other server sees it. */
  let elsewhere: Uploads;

  before(async () => {
    const { server, app, store } = scene();
    uploads = uploadsOf(server.address, app);
    files = filesOf(scene(), 'Files');
    second = await startTestServer({ database: server.database, attachments: store.place });
    elsewhere = uploadsOf(second.address, app);
  });
  after(async () => {
    await second.close();
  });

  async function assertThere(id: string, bytes: Uint8Array): Promise<void> {
    const back = await files.get(id);
    assert.equal(back.status, 200);
    assert.equal(back.headers.etag, `"${sha256(bytes)}"`);
    assert.equal(sha256(back.bytes), sha256(bytes));
    const left = (await scene().store.stored()).filter((name) => name.includes(id));
    assert.equal(left.length, 1, left.join(', '));
  }

  const untilReceived = (id: string, count: number) =>
    until(`${count} bytes to be received`, async () => (await uploads.offset(id)) === count);

  it('keeps what came of a client that vanished, in the middle of a piece', async () => {
    const bytes = randomFile(300_000);
    const { id } = await uploads.announced(bytes.length);
    const wire = await uploads.begin(id, { declared: bytes.length, sent: bytes.subarray(0, 123_456) });
    wire.socket.end();
    await untilReceived(id, 123_456);
    wire.close();
    assertAppended(await uploads.append(id, 123_456, bytes.subarray(123_456)), bytes.length);
    await assertThere(id, bytes);
  });

  it('records each piece while the next ones arrive', async () => {
    const bytes = randomFile(18 * MIB);
    const { id } = await uploads.announced(bytes.length);
    const wire = await uploads.begin(id, { declared: bytes.length, sent: bytes.subarray(0, 17 * MIB) });
    await untilReceived(id, 16 * MIB);
    wire.write(bytes.subarray(17 * MIB));
    const reply = await wire.answer();
    assert.equal(reply.status, 204);
    assert.equal(reply.headers['upload-offset'], String(bytes.length));
    wire.close();
    await assertThere(id, bytes);
  });

  it('lets a client continue whose old connection is dead but still open', async () => {
    const bytes = randomFile(200_000);
    const { id } = await uploads.announced(bytes.length);
    const old = await uploads.begin(id, { declared: bytes.length, sent: bytes.subarray(0, 50_000) });
    await until('the row to be claimed', async () => (await claimant(id)) !== null);
    // It cannot know what arrived of what it sent, and is told.
    let offset = await uploads.offset(id);
    for (let attempt = 1; offset < bytes.length; attempt++) {
      assert.ok(attempt < 5, 'the offset is told right');
      const reply = await uploads.append(id, offset, bytes.subarray(offset));
      if (reply.status === 204) break;
      refusedBytes(reply, 409, 'UPLOAD_OFFSET_MISMATCH');
      offset = await uploads.offset(id);
    }
    assertProblem(await old.answer(), 423, 'UPLOAD_BUSY');
    old.close();
    await assertThere(id, bytes);
  });

  const claimant = async (id: string) => {
    const { server, app } = scene();
    const [[node] = []] = await server.database.sql(`select node from app_${app.id}.attachments where id = $1`, [id]);
    return node;
  };

  it('takes the bytes of one of many that send the same at once', async () => {
    const bytes = randomFile(400_000);
    const { id } = await uploads.announced(bytes.length);
    const replies = await Promise.all(Array.from({ length: 8 }, () => uploads.append(id, 0, bytes)));
    assert.equal(replies.filter(({ status }) => status === 204).length >= 1 || (await uploads.offset(id)) > 0, true);
    for (const reply of replies) assert.ok([204, 409, 423].includes(reply.status), String(reply.status));
    for (let offset = await uploads.offset(id); offset < bytes.length; offset = await uploads.offset(id)) {
      assert.equal((await uploads.append(id, offset, bytes.subarray(offset))).status, 204);
    }
    await assertThere(id, bytes);
  });

  it('goes on at another server, while none has it', async () => {
    const bytes = randomFile(90_000);
    const { id } = await uploads.announced(bytes.length);
    assertAppended(await uploads.append(id, 0, bytes.subarray(0, 30_000)), 30_000);
    assertAppended(await elsewhere.append(id, 30_000, bytes.subarray(30_000, 60_000)), 60_000);
    const wire = await uploads.begin(id, { offset: 60_000, declared: 30_000, sent: bytes.subarray(60_000, 70_000) });
    await until('the row to be claimed', async () => (await claimant(id)) !== null);
    refusedBytes(await elsewhere.append(id, 60_000, bytes.subarray(60_000)), 423, 'UPLOAD_BUSY');
    wire.socket.end();
    await untilReceived(id, 70_000);
    await until('the row to be free', async () => (await claimant(id)) === null);
    wire.close();
    assertAppended(await elsewhere.append(id, 70_000, bytes.subarray(70_000)), bytes.length);
    await assertThere(id, bytes);
  });

  it('goes on when the server that had it is gone', async () => {
    const { server, app } = scene();
    const bytes = randomFile(60_000);
    const { id } = await uploads.announced(bytes.length);
    assertAppended(await uploads.append(id, 0, bytes.subarray(0, 20_000)), 20_000);
    await server.database.sql(`update app_${app.id}.attachments set node = $2 where id = $1`, [id, 'f'.repeat(16)]);
    assertAppended(await elsewhere.append(id, 20_000, bytes.subarray(20_000)), bytes.length);
    await assertThere(id, bytes);
  });

  it('is left to a server that was missing for a moment only', async () => {
    const { server, app } = scene();
    const { id } = await uploads.announced(10);
    await server.database.sql(`update app_${app.id}.attachments set node = 'back' where id = $1`, [id]);
    const appending = elsewhere.append(id, 0, 'abcde');
    await new Promise((resolve) => setTimeout(resolve, 150));
    const client = new pg.Client({ ...server.database.connection, application_name: 'cartulary listener back' });
    await client.connect();
    refusedBytes(await appending, 423, 'UPLOAD_BUSY');
    await client.end();
    assertAppended(await elsewhere.append(id, 0, 'abcde'), 5);
  });

  it('leaves nothing besides the attachment, recorded or not', async () => {
    const bytes = randomFile(20_000);
    const { id } = await uploads.announced(bytes.length);
    assertAppended(await uploads.append(id, 0, bytes.subarray(0, 5_000)), 5_000);
    const blobs = createBlobs(scene().store.place, tmpdir());
    await blobs.open();
    const unnoted = { applicationId: scene().app.id, attachmentId: id, part: 'piece-5000-0123456789abcdef' };
    await blobs.put(unnoted, bytesOf('never noted'));
    await blobs.close();
    assertAppended(await uploads.append(id, 5_000, bytes.subarray(5_000)), bytes.length);
    await assertThere(id, bytes);
  });

  it('is not read a second time when the definition seems to have changed, and is free again by itself', async () => {
    const { server, app } = scene();
    const table = `app_${app.id}.attachments`;
    const bytes = randomFile(50_000);
    const { id } = await uploads.announced(bytes.length);
    const wire = await uploads.begin(id, { declared: bytes.length, sent: bytes.subarray(0, 20_000) });
    await until('the row to be claimed', async () => (await claimant(id)) !== null);
    await server.database.sql(`alter table ${table} rename to elsewhere`);
    try {
      wire.write(bytes.subarray(20_000));
      assertProblem(await wire.answer(), 503, 'UNAVAILABLE');
    } finally {
      await server.database.sql(`alter table app_${app.id}.elsewhere rename to attachments`);
      wire.close();
    }
    assert.equal(await uploads.offset(id), 0);
    await until('another server to get it', async () => (await elsewhere.append(id, 0, '')).status === 204);
    assertAppended(await elsewhere.append(id, 0, bytes), bytes.length);
    assert.equal(sha256((await files.get(id)).bytes), sha256(bytes));
  });

  it('is terminated in the middle of a request, here and on another server', async () => {
    for (const canceller of [uploads, elsewhere]) {
      const { id } = await uploads.announced(10_000);
      const wire = await uploads.begin(id, { declared: 10_000, sent: randomFile(5_000) });
      await until('the row to be claimed', async () => (await claimant(id)) !== null);
      assert.equal((await canceller.cancel(id)).status, 204);
      wire.socket.end();
      await until('nothing to be left', async () => {
        const left = (await scene().store.stored()).filter((name) => name.includes(id));
        return left.length === 0 && (await claimant(id)) === undefined;
      });
      wire.close();
      assert.equal((await uploads.state(id)).status, 404);
    }
  });
});

describe('an announced upload whose bytes have all arrived', () => {
  let scene: AttachmentScene;
  let uploads: Uploads;
  const observed: Observation[] = [];

  before(async () => {
    scene = await openAttachments('disk', DOCUMENT, { observe: (observation) => observed.push(observation) });
    uploads = uploadsOf(scene.server.address, scene.app);
  });
  after(() => scene.close());

  async function pathOfPiece(id: string): Promise<string> {
    const { place } = scene.store;
    assert.equal(place.kind, 'disk');
    const folder = join(place.folder, scene.app.id, id.slice(-2));
    const name = (await readdir(folder)).find((entry) => entry.startsWith(`${id}.piece-0`));
    return join(folder, name ?? '');
  }

  for (const how of ['the question how far it is', 'a request without bytes'] as const) {
    it(`is finished by ${how} when that failed at first`, async () => {
      const bytes = randomFile(10_000);
      const { id } = await uploads.announced(bytes.length);
      assertAppended(await uploads.append(id, 0, bytes.subarray(0, 4_000)), 4_000);
      const path = await pathOfPiece(id);
      await rename(path, `${path}.away`);
      const failed = await uploads.append(id, 4_000, bytes.subarray(4_000));
      assert.equal(refusedBytes(failed, 503, 'UNAVAILABLE').reason, 'storage');
      observed.length = 0;
      assert.equal((await uploads.state(id)).status, 423, 'all bytes are there, and no attachment: try again');
      const told = observed.find(({ event }) => event === 'request.refused');
      assert.ok(told?.event === 'request.refused' && told.cause instanceof Error, 'the operator is told why');
      assert.match(told.cause.message, /piece-0-/);
      refusedBytes(await uploads.append(id, bytes.length, ''), 503, 'UNAVAILABLE');
      refusedBytes(await filesOf(scene, 'Files').get(id), 404, 'ATTACHMENT_NOT_FOUND');
      await rename(`${path}.away`, path);
      if (how === 'a request without bytes') assertAppended(await uploads.append(id, bytes.length, ''), bytes.length);
      assert.equal(await uploads.offset(id), bytes.length);
      assert.ok((await filesOf(scene, 'Files').get(id)).bytes.equals(bytes));
    });
  }

  it('is not made of a piece that has changed', async () => {
    const { id } = await uploads.announced(6);
    assertAppended(await uploads.append(id, 0, 'abc'), 3);
    const { server, app } = scene;
    await server.database.sql(`update app_${app.id}.attachments set pieces = replace(pieces, '"hash":"', '"hash":"0')`);
    refusedBytes(await uploads.append(id, 3, 'def'), 503, 'UNAVAILABLE');
    refusedBytes(await filesOf(scene, 'Files').get(id), 404, 'ATTACHMENT_NOT_FOUND');
  });
});
