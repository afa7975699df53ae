// Files: small and large, from memory and from streams, over connections that are cut on the way up and on the way down.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { ConnectionError } from '../../client/src/errors.ts';
import { noise } from '../support/images.ts';
import { openScene, type Scene } from './scene.ts';

const MB = 1024 * 1024;
const digest = (bytes: Uint8Array | ArrayBuffer) => createHash('sha256').update(new Uint8Array(bytes)).digest('hex');

describe('the files of the client', () => {
  let scene: Scene;
  const large = new Uint8Array(20 * MB).map((_, index) => index % 251);
  before(async () => {
    scene = await openScene();
  });
  after(() => scene?.close());

  const visits = () => scene.client.collection('Visits');
  const troubled = () => {
    scene.proxy.seen.length = 0;
    return scene.troubled.collection('Visits');
  };
  const sha = async (file: { blob(): Promise<Blob> }) => digest(await (await file.blob()).arrayBuffer());

  it('keep their name and type, and come back as a stream, a blob or text', async () => {
    const name = 'Bericht "Dach" (東京) 100%.txt';
    const file = await visits().upload('hello', { name, contentType: 'text/plain' });
    assert.deepEqual({ ...file, id: '' }, { id: '', name, contentType: 'text/plain', size: 5 });
    assert.equal(await file.text(), 'hello');
    const blob = await file.blob();
    assert.deepEqual([blob.size, blob.type], [5, 'text/plain']);
    const visit = await visits().create({ Photo: file });
    const held = visit.Photo as typeof file;
    let text = '';
    for await (const chunk of held.stream()) text += new TextDecoder().decode(chunk);
    assert.equal(text, 'hello');
    const named = await visits().upload(new File(['x'], 'b.csv', { type: 'text/csv' }));
    assert.deepEqual([named.name, named.contentType], ['b.csv', 'text/csv']);
    assert.equal((await visits().upload(new Uint8Array())).size, 0);
  });

  it('may be streams, which are sent as they come', async () => {
    async function* chunks() {
      for (let index = 0; index < 20; index++) yield large.subarray(index * 1000, (index + 1) * 1000);
    }
    const file = await visits().upload(chunks(), { name: 'stream' });
    assert.equal(await sha(file), digest(large.subarray(0, 20_000)));
    scene.proxy.troubles.push(undefined, { kind: 'cut request', after: 10 });
    await assert.rejects(troubled().upload(chunks()), ConnectionError);
  });

  it('that are large are sent in parts, and go on where a connection was cut', async () => {
    const progress: number[] = [];
    // The definition, the announcement, then parts: one that is cut in the middle, one whose reply is lost.
    await scene.troubled.definition();
    scene.proxy.troubles.push(undefined, { kind: 'cut request', after: 3 * MB }, undefined, undefined, {
      kind: 'cut reply',
    });
    const file = await troubled().upload(large, { name: 'large.bin', onProgress: (sent) => progress.push(sent) });
    assert.equal(await sha(file), digest(large));
    assert.equal(progress.at(-1), large.length);
    assert.ok(scene.proxy.seen.filter(({ method }) => method === 'PATCH').length >= 4);
    assert.deepEqual(
      [...progress].sort((a, b) => a - b),
      progress,
    );
  });

  it('that are large can be finished by another process', async () => {
    const controller = new AbortController();
    let id = '';
    const begun = visits().upload(large, {
      name: 'resumed.bin',
      contentType: 'application/x-test',
      signal: controller.signal,
      onAnnounced: (attachmentId) => {
        id = attachmentId;
      },
      onProgress: (sent) => sent > 0 && controller.abort(new Error('killed')),
    });
    await assert.rejects(begun, /killed/);
    const file = await visits().resumeUpload(id, new Blob([large]));
    assert.deepEqual({ ...file }, { id, name: 'resumed.bin', contentType: 'application/x-test', size: large.length });
    assert.equal(await sha(file), digest(large));
    await assert.rejects(visits().resumeUpload(id, new Blob(['other'])), /announced with/);
  });

  it('are downloaded to their end though the connection is cut', async () => {
    const { id } = await visits().upload(large);
    await scene.troubled.definition();
    const file = await scene.troubled
      .collection('Visits')
      .attachment({ id, name: '', contentType: '', size: large.length });
    scene.proxy.troubles.push({ kind: 'cut reply', after: 5 * MB }, { kind: 'cut reply', after: 7 * MB });
    assert.equal(await sha(file), digest(large));
  });

  it('that are images have thumbnails', async () => {
    const file = await visits().upload(await noise(300, 200).png().toBuffer(), { contentType: 'image/png' });
    const thumbnail = await file.thumbnail(64);
    assert.equal(thumbnail.type, 'image/webp');
    assert.ok(thumbnail.size > 0);
  });

  it('end with their signal', async () => {
    const file = await visits().upload(large);
    const controller = new AbortController();
    const reader = file.stream({ signal: controller.signal }).getReader();
    await reader.read();
    controller.abort(new Error('enough'));
    await assert.rejects(async () => {
      for (;;) if ((await reader.read()).done) return;
    }, /enough/);
  });
});
