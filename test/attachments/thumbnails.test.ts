// Small pictures through the interface: what `size` answers, for whom, of which files, and that they are kept.

import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import sharp from 'sharp';
import { type Person, publishApplication } from '../support/application.ts';
import {
  attachment,
  type BytesReply,
  exchange,
  type Files,
  filesOf,
  type Metadata,
  onBothStores,
  refusedBytes,
} from '../support/attachments.ts';
import { noise, twoColours } from '../support/images.ts';
import { done, operationsOn } from '../support/records.ts';
import { startTestServer } from '../support/server.ts';

const DOCUMENT = {
  collections: [{ id: 'tfiles00', name: 'Files', columns: [{ id: 'cfile000', name: 'File', type: 'Attachment' }] }],
};

async function assertPicture({ status, headers, bytes }: BytesReply, width: number, height: number): Promise<void> {
  assert.equal(status, 200);
  assert.equal(headers['content-type'], 'image/webp');
  assert.equal(headers['content-length'], String(bytes.length));
  const found = await sharp(bytes).metadata();
  assert.deepEqual([found.format, found.width, found.height], ['webp', width, height]);
}

onBothStores('thumbnails', { document: DOCUMENT }, (scene) => {
  let files: Files;
  let other: Person;
  let jpeg: Metadata;

  before(async () => {
    files = filesOf(scene(), 'Files');
    other = await scene().app.addPerson('Other');
    jpeg = await files.upload(await noise(1200, 800).jpeg().toBuffer(), { 'content-type': 'image/jpeg' });
  });

  const sized = (id: string, size: number | string, headers = {}) => files.get(id, headers, `?size=${size}`);

  it('are WebP that fits the size, with headers like those of the file', async () => {
    const whole = await files.get(jpeg.id);
    for (const [size, width, height] of [
      [64, 64, 43],
      [256, 256, 171],
      [1024, 1024, 683],
    ] as const) {
      const reply = await sized(jpeg.id, size);
      await assertPicture(reply, width, height);
      assert.match(String(reply.headers.etag), /^"[^"]+"$/);
      assert.notEqual(reply.headers.etag, whole.headers.etag);
      for (const name of ['cache-control', 'content-security-policy', 'x-content-type-options', 'last-modified']) {
        assert.equal(reply.headers[name], whole.headers[name], name);
      }
      assert.match(String(reply.headers['content-disposition']), /^attachment; /);
    }
    const etags = await Promise.all([64, 256].map(async (size) => (await sized(jpeg.id, size)).headers.etag));
    assert.notEqual(etags[0], etags[1]);
  });

  it('are made once, also when many ask at the same time, and kept beside the file', async () => {
    const { id } = await files.upload(await noise(600, 600).png().toBuffer(), { 'content-type': 'image/png' });
    const replies = await Promise.all(Array.from({ length: 6 }, () => sized(id, 128)));
    const again = await sized(id, 128);
    for (const reply of replies) {
      await assertPicture(reply, 128, 128);
      assert.ok(reply.bytes.equals(again.bytes), 'the same bytes each time');
      assert.equal(reply.headers.etag, again.headers.etag);
    }
    const stored = (await scene().store.stored()).filter((name) => name.includes(id));
    assert.equal(stored.length, 2, stored.join(', '));
    assert.ok((await files.get(id)).headers['content-type'] === 'image/png', 'the file itself is as it was');
  });

  it('are 304 when the client has them already, and HEAD has no bytes', async () => {
    const { headers, bytes } = await sized(jpeg.id, 256);
    for (const conditions of [
      { 'if-none-match': headers.etag! },
      { 'if-modified-since': headers['last-modified']! },
    ] as Record<string, string>[]) {
      const reply = await sized(jpeg.id, 256, conditions);
      assert.equal(reply.status, 304);
      assert.equal(reply.bytes.length, 0);
    }
    const whole = (await files.get(jpeg.id)).headers.etag!;
    assert.equal((await sized(jpeg.id, 256, { 'if-none-match': whole })).status, 200, 'the tag of the file is another');
    const head = await files.head(jpeg.id, {}, '?size=256');
    assert.deepEqual([head.status, head.bytes.length], [200, 0]);
    assert.equal(head.headers['content-length'], String(bytes.length));
    assert.equal(head.headers['content-type'], 'image/webp');
  });

  it('have only the sizes that there are', async () => {
    for (const size of ['', '0', '65', '-64', '64.0', '064', ' 64', '1e2', '4096', 'large', '64px']) {
      const params = refusedBytes(await sized(jpeg.id, encodeURIComponent(size)), 400, 'INVALID_PARAMETER');
      assert.equal(params.parameter, 'size', size);
    }
  });

  it('are of images alone, whatever their declared type says', async () => {
    const text = await files.upload('no image at all', { 'content-type': 'image/jpeg' });
    const svg = await files.upload('<svg xmlns="http://www.w3.org/2000/svg"/>', { 'content-type': 'image/svg+xml' });
    const empty = await files.upload('', { 'content-type': 'image/png' });
    const image = await twoColours(400, 200).jpeg().toBuffer();
    const cut = await files.upload(image.subarray(0, 200), { 'content-type': 'image/jpeg' });
    for (const { id } of [text, svg, empty, cut]) {
      const params = refusedBytes(await sized(id, 64), 400, 'INVALID_PARAMETER');
      assert.equal(params.parameter, 'size');
      assert.equal((await files.get(id)).status, 200, 'the file itself is there');
    }
    for (const type of ['text/plain', 'application/octet-stream', 'image/png']) {
      const { id } = await files.upload(image, { 'content-type': type });
      await assertPicture(await sized(id, 64), 64, 32);
    }
  });

  it('are for users who may fetch the file', async () => {
    const asOther = filesOf(scene(), 'Files', other.token);
    refusedBytes(await asOther.get(jpeg.id, {}, '?size=256'), 404, 'ATTACHMENT_NOT_FOUND');
    const cases = operationsOn(scene().app, 'Files');
    const record = done(await cases.create({ cfile000: attachment(jpeg) }));
    await assertPicture(await asOther.get(jpeg.id, {}, '?size=256'), 256, 171);
    assert.equal((await cases.remove(record.id)).status, 204);
    refusedBytes(await asOther.get(jpeg.id, {}, '?size=256'), 404, 'ATTACHMENT_NOT_FOUND');
  });

  it('that are kept are served by a server that starts later', async () => {
    const { store, server: first, app } = scene();
    const before = await sized(jpeg.id, 512);
    const second = await startTestServer({ database: first.database, attachments: store.place });
    try {
      const path = `${files.path}/${jpeg.id}?size=512`;
      const reply = await exchange(second.address, 'GET', path, { token: app.admin.token });
      await assertPicture(reply, 512, 341);
      assert.ok(reply.bytes.equals(before.bytes));
      assert.equal(reply.headers.etag, before.headers.etag);
    } finally {
      await second.close();
    }
  });

  it('of another application are not found', async () => {
    const { server } = scene();
    const app = await publishApplication(server, {
      collections: [{ id: 'tfiles00', name: 'Files', columns: [{ name: 'File', type: 'Attachment' }] }],
    });
    const elsewhere = filesOf({ server, app }, 'Files');
    refusedBytes(await elsewhere.get(jpeg.id, {}, '?size=256'), 404, 'ATTACHMENT_NOT_FOUND');
    refusedBytes(await elsewhere.get(jpeg.id), 404, 'ATTACHMENT_NOT_FOUND');
  });
});
