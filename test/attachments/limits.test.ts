// How large an attachment may be, and what becomes of an upload that does not come to its end: nothing.

import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import {
  type Files,
  filesOf,
  onBothStores,
  randomFile,
  refusedBytes,
  republish,
  traces,
  untilGone,
} from '../support/attachments.ts';
import { assertProblem, head, onWire, Wire } from '../support/http-client.ts';
import { until } from '../support/until.ts';

const LIMIT_BYTES = 100_000;
const DEFAULT_BYTES = 52_428_800;
/** An S3 upload is in parts of 8 MiB: with more than one of them it is under way at the store. */
const PART_BYTES = 8 * 1024 * 1024;
const COLLECTIONS = [{ id: 'tfiles00', name: 'Files', columns: [{ name: 'File', type: 'Attachment' }] }];

/** A body without a declared length as it is on the wire, with its end or without. */
function inChunks(bytes: Uint8Array, ended = true): Buffer {
  const chunks: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += 60_000) {
    const chunk = bytes.subarray(at, at + 60_000);
    chunks.push(Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from('\r\n'));
  }
  return Buffer.concat(ended ? [...chunks, Buffer.from('0\r\n\r\n')] : chunks);
}

onBothStores('limits of uploads', { document: { collections: COLLECTIONS } }, (scene, kind) => {
  let files: Files;
  let posting: Record<string, string>;

  before(async () => {
    files = filesOf(scene(), 'Files');
    posting = { authorization: `Bearer ${scene().app.admin.token}` };
  });

  const limit = (maxAttachmentBytes: number) => republish(scene(), { collections: COLLECTIONS, maxAttachmentBytes });

  it('50 MB is the default, and fits', async () => {
    const bytes = randomFile(DEFAULT_BYTES);
    const { id, size } = await files.upload(bytes);
    assert.equal(size, DEFAULT_BYTES);
    assert.ok((await files.get(id)).bytes.equals(bytes));
    await onWire(scene().server.address, async (wire) => {
      wire.write(head('POST', files.path, { ...posting, 'content-length': String(DEFAULT_BYTES + 1) }));
      const reply = await wire.answer();
      assertProblem(reply, 400, 'INVALID_BODY');
      assert.equal(reply.body.params.maxBytes, DEFAULT_BYTES);
    });
  });

  it('the publish document says how many bytes fit, from the moment it is published', async () => {
    const bytes = randomFile(LIMIT_BYTES);
    await limit(LIMIT_BYTES - 1);
    refusedBytes(await files.send(bytes), 400, 'INVALID_BODY');
    await limit(LIMIT_BYTES);
    assert.equal((await files.upload(bytes)).size, LIMIT_BYTES);
    const chunked = await files.send(bytes, {}, { chunked: true });
    assert.equal(chunked.status, 200, 'exactly the limit, undeclared');
  });

  for (const [how, chunked] of Object.entries({ declared: false, undeclared: true })) {
    it(`one byte more is refused and leaves nothing (${how})`, async () => {
      await limit(LIMIT_BYTES);
      const before = await traces(scene());
      for (const size of [LIMIT_BYTES + 1, 5_000_000]) {
        const params = refusedBytes(await files.send(randomFile(size), {}, { chunked }), 400, 'INVALID_BODY');
        assert.equal(params.maxBytes, LIMIT_BYTES);
        assert.equal(typeof params.reason, 'string');
        assert.deepEqual(await traces(scene()), before, `after ${size} bytes`);
      }
    });
  }

  it('a declared length beyond the limit is refused before a byte is read', async () => {
    await limit(LIMIT_BYTES);
    for (const expecting of [{}, { expect: '100-continue' }]) {
      await onWire(scene().server.address, async (wire) => {
        const headers = { ...posting, ...expecting, 'content-length': String(LIMIT_BYTES + 1) };
        wire.write(head('POST', files.path, headers));
        assertProblem(await wire.answer(), 400, 'INVALID_BODY', JSON.stringify(expecting));
      });
    }
  });

  it('100 Continue is sent when the body may come, and not before the other checks', async () => {
    await limit(LIMIT_BYTES);
    await onWire(scene().server.address, async (wire) => {
      const expecting = { expect: '100-continue', 'content-length': '5' };
      wire.write(head('POST', files.path, { ...posting, ...expecting, 'x-service-creatorid': 'u0000000' }));
      assertProblem(await wire.answer(), 400, 'INVALID_CREATOR');
    });
    await onWire(scene().server.address, async (wire) => {
      wire.write(head('POST', files.path, { ...posting, expect: '100-continue', 'content-length': '5' }));
      assert.equal((await wire.answer()).status, 100);
      wire.write('hello');
      const { status, body } = await wire.answer();
      assert.equal(status, 200);
      assert.equal((await files.get(body.id)).bytes.toString(), 'hello');
    });
  });

  it('a connection can be used again after a refused upload', async () => {
    await limit(LIMIT_BYTES);
    const large = randomFile(3_000_000);
    await onWire(scene().server.address, async (wire) => {
      for (const round of [1, 2]) {
        wire.write(head('POST', files.path, { ...posting, 'content-length': String(large.length) })).write(large);
        assertProblem(await wire.answer(), 400, 'INVALID_BODY', `declared, round ${round}`);
        wire.write(head('POST', files.path, { ...posting, 'transfer-encoding': 'chunked' })).write(inChunks(large));
        assertProblem(await wire.answer(), 400, 'INVALID_BODY', `undeclared, round ${round}`);
        wire.write(head('POST', files.path, { ...posting, 'content-type': 'nonsense', 'content-length': '5' }));
        wire.write('hello');
        assertProblem(await wire.answer(), 400, 'INVALID_CONTENT_TYPE', `malformed, round ${round}`);
        wire.write(`${head('POST', files.path, { ...posting, 'content-length': '5' })}hello`);
        const { status, body } = await wire.answer();
        assert.equal(status, 200, `round ${round}`);
        assert.equal(body.size, 5);
      }
    });
  });

  /** What a client has sent when it vanishes. */
  const beginnings: Record<string, (bytes: Buffer) => { headers: Record<string, string>; body: Buffer }> = {
    'with a declared length': (body) => ({ headers: { 'content-length': String(body.length + 1) }, body }),
    'without a length': (bytes) => ({ headers: { 'transfer-encoding': 'chunked' }, body: inChunks(bytes, false) }),
  };
  const leaving: Record<string, (wire: Wire) => unknown> = {
    'is cut off': (wire) => wire.socket.resetAndDestroy(),
    'hangs up': (wire) => wire.socket.end(),
  };
  for (const [how, begin] of Object.entries(beginnings)) {
    for (const [end, leave] of Object.entries(leaving)) {
      it(`a client that ${end} in the middle of an upload leaves nothing (${how})`, async () => {
        await limit(DEFAULT_BYTES);
        const before = await traces(scene());
        const wire = await Wire.open(scene().server.address);
        const { headers, body } = begin(randomFile(kind === 's3' ? 2 * PART_BYTES + 1000 : 1_000_000));
        wire.write(head('POST', files.path, { ...posting, ...headers })).write(body);
        // The row, and the file or the S3 upload.
        await until('the upload to be under way', async () => (await traces(scene())).length === before.length + 2);
        leave(wire);
        await untilGone(scene(), before);
        wire.close();
      });
    }
  }
});
