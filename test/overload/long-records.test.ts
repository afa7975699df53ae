// The memory budget of long records: limited per tenant and in all, and released however a request ends.

import assert from 'node:assert/strict';
import { ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { sha256Hex } from '../../src/domain/hash.ts';
import { DOWNLOAD_CHUNK_BYTES } from '../../src/http/clients/file-chunk-queue.ts';
import { publishApplication, string, type TestApplication } from '../support/application.ts';
import { head } from '../support/http-client.ts';
import { scrape } from '../support/metrics.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';

const TEXT_BYTES = 900_000;
const RECORDS = 12;
/** More than the sockets of both sides hold. */
const PAGE_BYTES = RECORDS * TEXT_BYTES;
const BOUNDS = { eachBytesMax: 1.5 * PAGE_BYTES, allBytesMax: 2.5 * PAGE_BYTES, slowReaderMs: 3_000 };

describe('memory for long records', () => {
  let server: TestServer;
  let apps: TestApplication[];
  const ids: string[] = [];
  const clients: Socket[] = [];

  before(async () => {
    server = await startTestServer({ longRecords: BOUNDS, requestMs: 20_000 });
    const columns = [
      { name: 'Text', type: 'String' },
      { name: 'Note', type: 'String' },
      { name: 'Code', type: 'String', unique: true },
    ];
    apps = [];
    for (let n = 0; n < 3; n++) {
      const app = await publishApplication(server, { collections: [{ name: 'Papers', columns }] });
      apps.push(app);
      const values = { [app.ids.Papers!.Text!]: string('x'.repeat(TEXT_BYTES)) };
      for (let count = 0; count < RECORDS; count++) {
        const reply = await app.send('POST', app.records('Papers'), { json: { values } });
        assert.equal(reply.status, 200);
        if (n === 0) ids.push(reply.body.id);
      }
    }
  });
  after(async () => {
    for (const client of clients) client.destroy();
    await server.close();
  });

  const held = async () => (await scrape(server.address)).sum('cartulary_long_record_bytes');
  const waiting = async () => (await scrape(server.address)).sum('cartulary_long_record_requests_waiting');
  const none = () => until('the budget to be free', async () => (await held()) === 0);
  const list = (app: TestApplication) => app.send('GET', app.records('Papers'));
  const noted = (value: string) => ({ [apps[0]!.ids.Papers!.Note!]: string(value) });
  /** Sends a request, and does not read the reply. */
  function ask(app: TestApplication): Socket {
    const { hostname, port } = new URL(server.address);
    const client = connect({ host: hostname, port: Number(port) }).on('error', () => undefined);
    const authorization = `Bearer ${app.admin.token}`;
    client.pause().write(head('GET', `/v1/${app.id}${app.records('Papers')}`, { authorization }));
    clients.push(client);
    return client;
  }

  it('is released after every kind of reply', async () => {
    const [app] = apps as [TestApplication];
    const path = app.records('Papers', ids[0]);
    const got = await app.send('GET', path);
    await none();
    assert.equal((await app.send('HEAD', app.records('Papers'))).status, 200);
    await none();
    const headers = { 'if-none-match': got.headers.get('etag') ?? '' };
    assert.equal((await app.send('GET', path, { headers })).status, 304);
    await none();
    const coded = ids.slice(0, 3).map((id, n) => ({
      ...{ id, replace: false, values: { [app.ids.Papers!.Code!]: string(n < 2 ? `code ${n}` : 'code 0') } },
    }));
    const failed = await app.send('PUT', app.records('Papers'), { json: coded });
    assert.equal(failed.body.params.updatedRecords.length, 2);
    await none();
    assert.equal((await app.send('PUT', path, { json: { replace: false, values: noted('one') } })).status, 200);
    await none();
    const client = ask(app);
    await until('the page to be held', async () => (await held()) > 0);
    client.destroy();
    await none();
  });

  it('is sent in pieces for a single record too, and its ETag is that of the whole', async (t) => {
    const [app] = apps as [TestApplication];
    const sizes: number[] = [];
    for (const name of ['write', 'end'] as const) {
      const original = ServerResponse.prototype[name] as (...args: unknown[]) => boolean;
      t.mock.method(ServerResponse.prototype, name, function (this: ServerResponse, ...args: unknown[]) {
        // Afterwards the bytes may have been freed.
        if (Buffer.isBuffer(args[0])) sizes.push(args[0].length);
        return Reflect.apply(original, this, args);
      });
    }
    const { text, headers } = await app.send('GET', app.records('Papers', ids[0]));
    const sent = sizes.reduce((sum, size) => sum + size, 0);
    assert.equal(sent, text.length);
    assert.ok(Math.max(...sizes) <= DOWNLOAD_CHUNK_BYTES, `${sizes}`);
    assert.ok(headers.get('etag')?.endsWith(`-${sha256Hex(text).slice(0, 16)}"`));
    await none();
  });

  it('is released when clients leave while their pages are being read', async () => {
    const [app] = apps as [TestApplication];
    for (let n = 0; n < 100; n++) {
      const client = ask(app);
      await wait(n % 20);
      client.destroy();
    }
    await none();
  });

  it('is limited, and every waiting request is served', async () => {
    const requests = apps.flatMap((app) => Array.from({ length: 4 }, () => list(app)));
    let isOver = false;
    const watching = (async () => {
      let most = 0;
      while (!isOver) most = Math.max(most, await held());
      return most;
    })();
    const replies = await Promise.all(requests).finally(() => {
      isOver = true;
    });
    assert.ok((await watching) <= BOUNDS.allBytesMax);
    assert.deepEqual(
      replies.map(({ status, body }) => [status, body.length]),
      replies.map(() => [200, RECORDS]),
    );
    await none();
  });

  it('suffices for batches that need more than all of it, one after the other', async () => {
    const [app] = apps as [TestApplication];
    const batch = (value: string) =>
      app.send('PUT', app.records('Papers'), { json: ids.map((id) => ({ id, replace: false, values: noted(value) })) });
    const replies = await Promise.all(['a', 'b', 'c'].map(batch));
    for (const { status, body } of replies) assert.deepEqual([status, body.length], [200, RECORDS]);
    await none();
  });

  it('is taken from clients that do not read while other requests wait, and only then', async () => {
    const [one, other] = apps as [TestApplication, TestApplication];
    const client = ask(one);
    await until('the page to be held', async () => (await held()) > 0);
    assert.equal((await list(other)).status, 200);
    assert.equal(client.destroyed, false);
    const late = list(one);
    await until('the next to wait', async () => (await waiting()) > 0);
    assert.equal((await late).status, 200);
    client.destroy();
    await none();
  });
});

describe('requests that wait for bytes', () => {
  let server: TestServer;
  before(async () => {
    const bytes = 4_000_000;
    const longRecords = { eachBytesMax: bytes, allBytesMax: bytes, slowReaderMs: 3_000 };
    server = await startTestServer({ longRecords, requestsAtOnce: 8 });
  });
  after(() => server.close());

  // Eight have begun and have no slot; those with slots may not begin before one of the eight ends.
  it('go on when they have them, while requests that may not begin have all the slots', async () => {
    const columns = [
      { name: 'Text', type: 'String' },
      { name: 'Note', type: 'String' },
    ];
    const app = await publishApplication(server, { collections: [{ name: 'Papers', columns }] });
    const { Text, Note } = app.ids.Papers as Record<'Text' | 'Note', string>;
    const values = { [Text]: string('x'.repeat(400_000)) };
    const { body } = await app.send('POST', app.records('Papers'), { json: [{ values }, { values }] });
    const change = (n: number) => {
      const note = { [Note]: string(`${n} `.padEnd(10_000, 'y')) };
      const json = body.map(({ id }: { id: string }) => ({ id, replace: false, values: note }));
      return app.send('PUT', app.records('Papers'), { json });
    };
    const replies = await Promise.all(Array.from({ length: 24 }, (_, n) => change(n)));
    assert.deepEqual(
      replies.map(({ status }) => status),
      replies.map(() => 200),
    );
  });
});
