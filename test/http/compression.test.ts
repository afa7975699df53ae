// Compressed replies: who gets them, what is in them, and what is never compressed.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingHttpHeaders, request } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { brotliDecompressSync, createBrotliDecompress, createGunzip, gunzipSync } from 'node:zlib';
import { Compressions } from '../../src/http/compression.ts';
import { chooseEncoding } from '../../src/http/requests/accept-encoding.ts';
import { fill, period } from '../activity-log/log.ts';
import { publishApplication, string, type TestApplication } from '../support/application.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const DECODERS: Record<string, (bytes: Buffer) => Buffer> = {
  gzip: (bytes) => gunzipSync(bytes),
  br: (bytes) => brotliDecompressSync(bytes),
};

interface Got {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  /** Decoded. */
  readonly text: string;
}

describe('the encoding of a reply', () => {
  it('is the one that the client wants most', () => {
    const wanted: [string | undefined, string | undefined][] = [
      [undefined, undefined],
      ['', undefined],
      ['gzip', 'gzip'],
      ['br', 'br'],
      ['gzip, deflate, br, zstd', chooseEncoding('gzip, br')],
      ['GZIP;Q=0.5, br;q=0.2', 'gzip'],
      ['gzip;q=0.2, br;q=0.5', 'br'],
      ['gzip;q=0, br;q=0', undefined],
      ['gzip;q=0', undefined],
      ['*', chooseEncoding('gzip, br')],
      ['*;q=0', undefined],
      ['gzip;q=0, *', 'br'],
      ['x-gzip', 'gzip'],
      ['identity', undefined],
      ['identity, gzip;q=0.5', undefined],
      ['identity;q=0.5, gzip', 'gzip'],
      ['deflate, zstd', undefined],
      ['gzip;q=2', undefined],
      ['gzip;q=nonsense', undefined],
      [`gzip, ${'x'.repeat(10_000)}`, undefined],
    ];
    for (const [header, encoding] of wanted) assert.equal(chooseEncoding(header), encoding, header);
  });
});

describe('compressed replies', () => {
  let server: TestServer;
  let app: TestApplication;
  let records: string;
  let long: string;
  /** When the entries of the activity log begin. */
  const logged = Date.now() - 60_000;

  const ask = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    new Promise<Got>((resolve, reject) => {
      const all = { authorization: `Bearer ${app.admin.token}`, ...headers };
      const asked = request(server.address + path, { method, headers: all }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const bytes = Buffer.concat(chunks);
          const decode = DECODERS[response.headers['content-encoding'] ?? ''] ?? ((same) => same);
          const text = decode(bytes).toString();
          resolve({ status: response.statusCode ?? 0, headers: response.headers, bytes, text });
        });
      });
      asked.on('error', reject).end();
    });
  const create = async (text: string, collection = 'Things') => {
    const json = { values: { [app.ids[collection]?.Title ?? '']: string(text) } };
    const { status, body } = await app.send('POST', app.records(collection), { json });
    assert.equal(status, 200);
    return `/v1/${app.id}${app.records(collection, body.id)}`;
  };

  before(async () => {
    server = await startTestServer();
    app = await publishApplication(server, {
      collections: ['Things', 'Books'].map((name) => ({ name, columns: [{ name: 'Title', type: 'String' }] })),
    });
    records = `/v1/${app.id}${app.records('Things')}`;
    long = await create('点検 Ω '.repeat(1_500));
    for (let n = 0; n < 20; n++) await create(`Thing number ${n}`);
    await fill(server.database, app.id, { at: logged, count: 5_000 });
  });
  after(() => server.close());

  it('also come part by part, as the OpenAPI document of an application does', async () => {
    const path = `/v1/${app.id}/openapi.json`;
    const { headers, text } = await ask(path, { 'accept-encoding': 'gzip' });
    assert.equal(headers['content-encoding'], 'gzip');
    assert.match(headers.vary ?? '', /\bAccept-Encoding$/);
    assert.equal(text, (await ask(path)).text);
  });

  for (const encoding of ['gzip', 'br']) {
    it(`hold the same in fewer bytes with ${encoding}`, async () => {
      for (const path of [records, long]) {
        const plain = await ask(path);
        assert.equal(plain.headers['content-encoding'], undefined);
        assert.match(plain.headers.vary ?? '', /\bAccept-Encoding$/);
        const { headers, bytes, text } = await ask(path, { 'accept-encoding': encoding });
        assert.equal(headers['content-encoding'], encoding);
        assert.equal(Number(headers['content-length']), bytes.length);
        assert.ok(bytes.length < plain.bytes.length / 2);
        assert.equal(text, plain.text);
        assert.equal(headers['content-type'], plain.headers['content-type']);
        assert.equal(headers.vary, plain.headers.vary);
      }
    });

    it(`have an ETag for ${encoding}, which every condition takes`, async () => {
      const { etag } = (await ask(long)).headers;
      const encoded = (await ask(long, { 'accept-encoding': encoding })).headers.etag ?? '';
      assert.equal(encoded, etag?.replace(/"$/, `-${encoding}"`));
      const other = await ask(long, { 'accept-encoding': encoding, 'if-none-match': '"other"' });
      assert.equal(other.status, 200);
      for (const tag of [etag ?? '', encoded, `W/${encoded}`, `"other", ${encoded}`]) {
        const reply = await ask(long, { 'accept-encoding': encoding, 'if-none-match': tag });
        assert.equal(reply.status, 304, tag);
        assert.equal(reply.headers.etag, tag.includes(`-${encoding}"`) ? encoded : etag, 'that of the copy');
        assert.equal(reply.headers.vary, other.headers.vary, 'that of the reply with the record');
      }
      const path = await create('x'.repeat(5_000));
      const held = (await ask(path, { 'accept-encoding': encoding })).headers.etag ?? '';
      assert.match(held, new RegExp(`-${encoding}"$`));
      const put = () =>
        server.send('PUT', path, { token: app.admin.token, headers: { 'if-match': held }, json: { values: {} } });
      assert.deepEqual([(await put()).status, (await put()).status], [200, 412]);
    });

    it(`stream long records and the activity log with ${encoding}`, async () => {
      for (let n = 0; n < 3; n++) await create(`${n} `.repeat(100_000), 'Books');
      const books = `/v1/${app.id}${app.records('Books')}?limit=3`;
      const plain = await ask(books);
      const page = await ask(books, { 'accept-encoding': encoding });
      assert.equal(page.headers['content-encoding'], encoding);
      assert.ok(plain.bytes.length > 500_000 && page.bytes.length < plain.bytes.length / 10);
      assert.equal(page.text, plain.text);
      const path = `/v1/${app.id}${period(logged, logged + 5_000)}`;
      const file = await ask(path);
      const smaller = await ask(path, { 'accept-encoding': encoding });
      assert.equal(smaller.headers['content-encoding'], encoding);
      assert.match(smaller.headers['content-disposition'] ?? '', /\.ndjson"$/);
      assert.ok(smaller.bytes.length < file.bytes.length / 5);
      assert.equal(smaller.text, file.text);
    });
  }

  it('show what has come so far while the rest is still to come', async () => {
    for (const [encoding, decoder] of [
      ['gzip', createGunzip()],
      ['br', createBrotliDecompress()],
    ] as const) {
      const encoder = new Compressions().stream('tenant', encoding);
      assert.ok(encoder);
      encoder.pipe(decoder);
      encoder.write('the first line\n');
      const [chunk] = await once(decoder, 'data');
      assert.equal(String(chunk), 'the first line\n');
      encoder.destroy();
      decoder.destroy();
    }
  });

  it('are those of more than 4,096 bytes, however many characters they have', async () => {
    for (const character of ['x', '点', '😀']) {
      const bytes = Buffer.byteLength(character);
      const empty = (await ask(await create(''))).bytes.length;
      const most = Math.floor((4_096 - empty) / bytes);
      const rest = 'x'.repeat(4_096 - empty - most * bytes);
      for (const [more, isLong] of [
        ['', false],
        ['x', true],
      ] as const) {
        const path = await create(character.repeat(most) + rest + more);
        const { headers, text } = await ask(path, { 'accept-encoding': 'gzip' });
        assert.equal(Buffer.byteLength(text), 4_096 + more.length);
        assert.equal(headers['content-encoding'], isLong ? 'gzip' : undefined, character);
        const plain = await ask(path);
        assert.equal(plain.headers.vary, `Authorization, Cookie${isLong ? ', Accept-Encoding' : ''}`);
        const unchanged = await ask(path, { 'if-none-match': plain.headers.etag ?? '' });
        assert.deepEqual([unchanged.status, unchanged.headers.vary], [304, plain.headers.vary]);
      }
    }
  });

  it('are for HEAD what they are as they are', async () => {
    const head = await ask(records, { 'accept-encoding': 'gzip' }, 'HEAD');
    assert.equal(head.headers['content-encoding'], undefined);
    assert.equal(head.headers['content-length'], String((await ask(records)).bytes.length));
  });

  it('are not short ones, not files, not those with secrets, and not those of the operator', async () => {
    const accept = { 'accept-encoding': 'gzip, br' };
    const short = await ask(`${records}?limit=1&skip=10`, accept);
    assert.equal(short.headers['content-encoding'], undefined);
    assert.equal(short.headers.vary, undefined);
    const path = `/collections/${app.ids.Things?.id}/attachments`;
    const raw = 'text '.repeat(5_000);
    const uploaded = await app.send('POST', path, {
      raw,
      headers: { 'content-type': 'application/json; charset=utf-8' },
    });
    const file = await ask(`/v1/${app.id}${path}/${uploaded.body.id}`, accept);
    assert.deepEqual([file.headers['content-encoding'], file.text], [undefined, raw]);
    const lines = await app.send('POST', path, { raw, headers: { 'content-type': 'application/x-ndjson' } });
    const part = await ask(`/v1/${app.id}${path}/${lines.body.id}`, { ...accept, range: 'bytes=5-8' });
    assert.deepEqual([part.status, part.headers['content-encoding'], part.text], [206, undefined, 'text']);
    const columns = Array.from({ length: 100 }, (_, n) => ({ name: `Column ${n}`, type: 'String' }));
    const wide = await publishApplication(server, { collections: [{ name: 'Wide', columns }] });
    const authorization = `Bearer test-operator-key-0123456789-abcdef`;
    const document = await ask(`/operator/v1/applications/${wide.id}`, { ...accept, authorization });
    assert.equal(document.status, 200);
    assert.ok(document.bytes.length > 8_000);
    assert.equal(document.headers['content-encoding'], undefined);
  });

  it('are sent as they are where much is being compressed already, and each is right', async () => {
    const plain = (await ask(records)).text;
    const all = await Promise.all(Array.from({ length: 40 }, () => ask(records, { 'accept-encoding': 'gzip' })));
    for (const { status, text } of all) assert.deepEqual([status, text === plain], [200, true]);
  });
});
