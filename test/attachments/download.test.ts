// A download: the very bytes, headers that let nothing run in a browser, conditional requests, parts, HEAD, and what is
// not there.

import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import {
  type BytesReply,
  type Files,
  filesOf,
  type Headers,
  type Metadata,
  NO_ATTACHMENT,
  onBothStores,
  randomFile,
  refusedBytes,
  sha256,
} from '../support/attachments.ts';

const MIB = 1024 * 1024;
const columns = [{ name: 'File', type: 'Attachment' }];
const DOCUMENT = {
  collections: [
    { id: 'tfiles00', name: 'Files', columns },
    { id: 'tothers0', name: 'Others', columns },
  ],
};
const SIZE = 100_000;

onBothStores('download', { document: DOCUMENT }, (scene) => {
  let files: Files;
  let file: Metadata;
  const bytes = randomFile(SIZE);

  before(async () => {
    files = filesOf(scene(), 'Files');
    file = await files.upload(bytes, {
      'content-type': 'text/html',
      'content-disposition': 'inline; filename="a.html"',
    });
  });

  for (const size of [5 * MIB, 20 * MIB + 1]) {
    it(`gives back the same ${size} bytes`, async () => {
      const large = randomFile(size);
      const { id } = await files.upload(large);
      const { status, headers, bytes: received } = await files.get(id);
      assert.equal(status, 200);
      assert.equal(headers['content-length'], String(size));
      assert.equal(headers.etag, `"${sha256(large)}"`);
      assert.ok(received.equals(large));
    });
  }

  it('says what it is, how long it may be kept, and lets nothing run', async () => {
    const { status, headers } = await files.get(file.id);
    assert.equal(status, 200);
    assert.equal(headers['content-type'], 'text/html');
    assert.equal(headers['content-length'], String(SIZE));
    assert.equal(headers['content-disposition'], 'attachment; filename="a.html"');
    assert.equal(headers['cache-control'], 'private, max-age=31536000, immutable');
    assert.equal(headers.vary, 'Authorization, Cookie');
    assert.equal(headers['content-security-policy'], "sandbox; default-src 'none'");
    assert.equal(headers['x-content-type-options'], 'nosniff');
    assert.equal(headers['accept-ranges'], 'bytes');
    assert.match(String(headers['x-request-id']), /^[\w-]{4,}$/);
  });

  it('has the hash of the content for a strong ETag, the same for the same content', async () => {
    const etags = [await files.get(file.id), await files.get(file.id)].map(({ headers }) => headers.etag);
    assert.deepEqual(etags, [`"${sha256(bytes)}"`, `"${sha256(bytes)}"`]);
    const twin = await files.upload(bytes);
    assert.equal((await files.get(twin.id)).headers.etag, etags[0]);
    const other = await files.upload('other');
    assert.notEqual((await files.get(other.id)).headers.etag, etags[0]);
  });

  it('has the time of the upload for Last-Modified', async () => {
    const [[uploadedAt]] = (await scene().server.database.sql(
      `select uploaded_at from app_${scene().app.id}.attachments where id = $1`,
      [file.id],
    )) as [[Date]];
    const { headers } = await files.get(file.id);
    assert.equal(headers['last-modified'], uploadedAt.toUTCString());
    // One clock for all: that of the database, which runs on this machine.
    assert.ok(Math.abs(Date.now() - uploadedAt.getTime()) < 600_000, String(uploadedAt));
  });

  const secondsLater = (date: string, seconds: number) => new Date(Date.parse(date) + 1000 * seconds).toUTCString();

  it('is 304 when the client has it already, and If-None-Match knows better than a date', async () => {
    const { headers } = await files.get(file.id);
    const [etag = '', modified = ''] = [headers.etag, headers['last-modified']];
    const rows: [Headers, 200 | 304][] = [
      [{ 'if-none-match': etag }, 304],
      [{ 'if-none-match': `W/${etag}` }, 304],
      [{ 'if-none-match': `"other", ${etag}` }, 304],
      [{ 'if-none-match': '*' }, 304],
      [{ 'if-none-match': '"other"' }, 200],
      [{ 'if-none-match': etag.replaceAll('"', '') }, 200],
      [{ 'if-modified-since': modified }, 304],
      [{ 'if-modified-since': secondsLater(modified, 1) }, 304],
      [{ 'if-modified-since': secondsLater(modified, -1) }, 200],
      [{ 'if-modified-since': 'yesterday' }, 200],
      [{ 'if-none-match': '"other"', 'if-modified-since': modified }, 200],
      [{ 'if-none-match': etag, 'if-modified-since': secondsLater(modified, -1) }, 304],
      [{ 'if-none-match': etag, range: 'bytes=0-9' }, 304],
    ];
    for (const [conditions, status] of rows) {
      for (const ask of [files.get, files.head]) {
        const reply = await ask(file.id, conditions);
        assert.equal(reply.status, status, JSON.stringify(conditions));
        assert.equal(reply.headers.etag, etag);
        if (status === 200) continue;
        assert.equal(reply.bytes.length, 0);
        assert.equal(reply.headers['cache-control'], 'private, max-age=31536000, immutable');
        assert.equal(reply.headers['last-modified'], modified);
      }
    }
  });

  function assertPart(reply: BytesReply, start: number, end: number, what: string): void {
    assert.equal(reply.status, 206, what);
    assert.equal(reply.headers['content-range'], `bytes ${start}-${end}/${SIZE}`, what);
    assert.equal(reply.headers['content-length'], String(end - start + 1), what);
    assert.equal(reply.headers['content-type'], 'text/html', what);
    assert.equal(reply.headers['content-security-policy'], "sandbox; default-src 'none'", what);
    assert.ok(reply.bytes.equals(bytes.subarray(start, end + 1)), what);
  }

  it('gives the part that Range asks for', async () => {
    const rows: [string, number, number][] = [
      ['bytes=0-0', 0, 0],
      ['bytes=0-99', 0, 99],
      ['bytes=40000-79999', 40_000, 79_999],
      ['bytes=99999-', 99_999, 99_999],
      ['bytes=50000-', 50_000, 99_999],
      ['bytes=-1', 99_999, 99_999],
      ['bytes=-70000', 30_000, 99_999],
      ['bytes=-100001', 0, 99_999],
      ['bytes=99000-200000', 99_000, 99_999],
      ['Bytes=5-9', 5, 9],
    ];
    for (const [range, start, end] of rows) assertPart(await files.get(file.id, { range }), start, end, range);
  });

  it('gives the same bytes again and again, whole and in part, until the attachment is removed', async () => {
    const again = randomFile(SIZE);
    const { id } = await files.upload(again);
    for (const round of [1, 2, 3, 4]) {
      const whole = await files.get(id);
      assert.equal(whole.headers['content-length'], String(SIZE), `round ${round}`);
      assert.ok(whole.bytes.equals(again), `round ${round}`);
      const part = await files.get(id, { range: 'bytes=70000-79999' });
      assert.equal(part.status, 206, `round ${round}`);
      assert.ok(part.bytes.equals(again.subarray(70_000, 80_000)), `round ${round}`);
    }
    const all = await Promise.all(Array.from({ length: 20 }, () => files.get(id)));
    assert.ok(all.every(({ bytes: received }) => received.equals(again)));
    const update = `update app_${scene().app.id}.attachments set state = 'removing' where id = $1`;
    await scene().server.database.sql(update, [id]);
    refusedBytes(await files.get(id), 404, 'ATTACHMENT_NOT_FOUND');
  });

  it('returns the whole file for several ranges and for other units than bytes', async () => {
    for (const range of ['bytes=0-1,5-9', 'bytes=9-5', 'lines=0-9', 'bytes=', 'bytes=a-b', '0-9']) {
      const reply = await files.get(file.id, { range });
      assert.equal(reply.status, 200, range);
      assert.ok(reply.bytes.equals(bytes), range);
    }
  });

  it('refuses a part beyond the end', async () => {
    for (const range of ['bytes=100000-', 'bytes=100000-100001', 'bytes=-0', `bytes=${'9'.repeat(30)}-`]) {
      const reply = await files.get(file.id, { range });
      refusedBytes(reply, 416, 'RANGE_NOT_SATISFIABLE');
      assert.equal(reply.headers['content-range'], `bytes */${SIZE}`, range);
    }
    const empty = await files.upload('');
    refusedBytes(await files.get(empty.id, { range: 'bytes=0-0' }), 416, 'RANGE_NOT_SATISFIABLE');
  });

  it('gives a part only of the file that If-Range names', async () => {
    const { headers } = await files.get(file.id);
    const [etag = '', modified = ''] = [headers.etag, headers['last-modified']];
    for (const same of [etag, modified]) {
      assertPart(await files.get(file.id, { range: 'bytes=1-2', 'if-range': same }), 1, 2, same);
    }
    for (const other of ['"other"', `W/${etag}`, secondsLater(modified, 1), 'nonsense']) {
      const reply = await files.get(file.id, { range: 'bytes=1-2', 'if-range': other });
      assert.equal(reply.status, 200, other);
      assert.ok(reply.bytes.equals(bytes), other);
    }
  });

  it('answers HEAD like GET without the bytes', async () => {
    // Ranges are for GET alone.
    for (const conditions of [{}, { range: 'bytes=5-9' }] as Headers[]) {
      const [got, asked] = [await files.get(file.id), await files.head(file.id, conditions)];
      assert.equal(asked.bytes.length, 0);
      const plain = ({ status, headers }: BytesReply) => {
        const { date: _, 'x-request-id': _id, 'server-timing': _timing, ...rest } = headers;
        return [status, rest];
      };
      assert.deepEqual(plain(asked), plain(got));
    }
    assert.equal((await files.head(NO_ATTACHMENT)).status, 404);
  });

  it('is 404 for an attachment that does not exist, is unfinished or belongs to another collection', async () => {
    const params = refusedBytes(await files.get(NO_ATTACHMENT), 404, 'ATTACHMENT_NOT_FOUND');
    assert.deepEqual(params, { attachmentId: NO_ATTACHMENT });
    refusedBytes(await filesOf(scene(), 'Others').get(file.id), 404, 'ATTACHMENT_NOT_FOUND');
    refusedBytes(await filesOf(scene(), 'tnothere').get(file.id), 404, 'COLLECTION_NOT_FOUND');
    const schema = `app_${scene().app.id}`;
    const { id } = await files.upload('soon');
    for (const state of ['pending', 'removing', 'missing']) {
      await scene().server.database.sql(`update ${schema}.attachments set state = $2 where id = $1`, [id, state]);
      refusedBytes(await files.get(id), 404, 'ATTACHMENT_NOT_FOUND');
      refusedBytes(await files.get(id, {}, '?size=64'), 404, 'ATTACHMENT_NOT_FOUND');
      refusedBytes(await files.get(id, { 'if-none-match': '*' }), 404, 'ATTACHMENT_NOT_FOUND');
    }
    await scene().server.database.sql(`update ${schema}.attachments set state = 'available' where id = $1`, [id]);
    assert.equal((await files.get(id)).bytes.toString(), 'soon');
  });

  it('is 400 for an invalid identifier, before credentials are checked', async () => {
    const nobody = filesOf(scene(), 'Files', 'nonsense');
    for (const id of ['a', 'r'.repeat(27), NO_ATTACHMENT.toUpperCase(), `${NO_ATTACHMENT}0`, '..%2f..%2fetc']) {
      refusedBytes(await nobody.get(id), 400, 'INVALID_ATTACHMENT_ID');
    }
    refusedBytes(await nobody.get(file.id), 401, 'UNAUTHORIZED');
  });

  it('is 503 and not 404 while the bytes of an available one are away', async () => {
    const { id } = await files.upload('lost');
    const away = `app_${scene().app.id}.attachments`;
    const stolen = id.replace(/^a./, 'az');
    await scene().server.database.sql(`update ${away} set id = $2 where id = $1`, [id, stolen]);
    refusedBytes(await files.get(stolen), 503, 'UNAVAILABLE');
    assert.equal((await files.get(file.id)).status, 200);
  });
});
