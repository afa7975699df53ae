// Downloads on connections as they are: slow readers hold nothing that others need, those who vanish leave nothing open,
// and a connection serves one request after the other.

import assert from 'node:assert/strict';
import { readdirSync, readlinkSync } from 'node:fs';
import { appendFile, truncate } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { before, it } from 'node:test';
import {
  type AttachmentScene,
  attachmentActivities,
  exchange,
  type Files,
  filesOf,
  type Metadata,
  onBothStores,
  randomFile,
  refusedBytes,
} from '../support/attachments.ts';
import { head, onWire, Wire } from '../support/http-client.ts';
import { startTestServer } from '../support/server.ts';
import { until } from '../support/until.ts';

/** More than the sockets between a server and its reader may hold. */
const LARGE_BYTES = 24 * 1024 * 1024;
const SLOW_READERS = 10;
/** More than the connections that are kept to an S3 store. */
const VANISHING_READERS = 60;
const DOCUMENT = {
  collections: [{ id: 'tfiles00', name: 'Files', columns: [{ name: 'File', type: 'Attachment' }] }],
};

/** The server runs in this process: what it has open is to be seen. */
function openFiles({ store: { place } }: AttachmentScene): string[] {
  if (place.kind !== 'disk') return [];
  return readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      const target = readlinkSync(`/proc/self/fd/${fd}`);
      return target.startsWith(place.folder) ? target : [];
    } catch {
      return [];
    }
  });
}

onBothStores('connections', { document: DOCUMENT, settings: { connectionsMax: 2 } }, (scene, kind) => {
  let files: Files;
  let large: Metadata;
  const bytes = randomFile(LARGE_BYTES);
  let asking: () => string;

  before(async () => {
    files = filesOf(scene(), 'Files');
    large = await files.upload(bytes);
    asking = () => head('GET', `${files.path}/${large.id}`, { authorization: `Bearer ${scene().app.admin.token}` });
  });

  async function untilClosed(): Promise<void> {
    await until('all files to be closed', () => openFiles(scene()).length === 0).catch((error: unknown) => {
      throw new Error(`still open: ${openFiles(scene()).join(', ')}`, { cause: error });
    });
  }

  /** Asks for the large file, reads the beginning of the answer and then nothing more. */
  async function beginReading(address: string): Promise<{ socket: Socket; received: Buffer[] }> {
    const { hostname, port } = new URL(address);
    const socket = connect({ host: hostname, port: Number(port) });
    socket.on('error', () => undefined);
    socket.write(asking());
    const received: Buffer[] = [];
    await until('the answer to begin', async () => {
      const piece = socket.read(1) as Buffer | null;
      if (piece !== null) received.push(piece);
      return piece !== null;
    });
    return { socket, received };
  }

  it('slow readers hold no connection to the database', async () => {
    const readers = await Promise.all(Array.from({ length: SLOW_READERS }, () => beginReading(scene().server.address)));
    try {
      if (scene().store.kind === 'disk') assert.equal(openFiles(scene()).length, SLOW_READERS, 'all are being read');
      const { app } = scene();
      for (let n = 0; n < 5; n += 1) {
        const created = await app.send('POST', app.records('Files'), { json: { values: {} } });
        assert.equal(created.status, 200, created.text);
        assert.equal((await app.send('GET', app.records('Files', created.body.id))).status, 200);
        const { id } = await files.upload(`small ${n}`);
        assert.equal((await files.get(id)).bytes.toString(), `small ${n}`);
      }
      const { socket, received } = readers[0]!;
      socket.on('data', (piece: Buffer) => received.push(piece));
      const isWhole = () => received.reduce((sum, { length }) => sum + length, 0) >= LARGE_BYTES;
      await until('the patient reader to have all', () => isWhole() && wholeBody(received).length === LARGE_BYTES);
      assert.ok(wholeBody(received).equals(bytes), 'whoever was slow gets the same bytes');
    } finally {
      for (const { socket } of readers) socket.destroy();
    }
    await untilClosed();
  });

  const wholeBody = (received: readonly Buffer[]): Buffer => {
    const all = Buffer.concat(received);
    return all.subarray(all.indexOf('\r\n\r\n') + 4);
  };

  it('clients that vanish in the middle leave nothing open', async () => {
    for (let n = 0; n < VANISHING_READERS; n += 10) {
      const readers = await Promise.all(Array.from({ length: 10 }, () => beginReading(scene().server.address)));
      for (const { socket } of readers) socket.destroy();
    }
    await untilClosed();
    assert.ok((await files.get(large.id)).bytes.equals(bytes));
  });

  it('clients that vanish before the reply begins leave nothing open', async () => {
    for (let n = 0; n < VANISHING_READERS; n += 1) {
      const wire = await Wire.open(scene().server.address);
      wire.write(asking());
      // At another moment of the road each time, without looking at the clock.
      for (let turns = 0; turns < n; turns += 1) await new Promise((resolve) => setImmediate(resolve));
      wire.socket.resetAndDestroy();
    }
    await untilClosed();
    assert.ok((await files.get(large.id)).bytes.equals(bytes));
  });

  // The store of the tests answers by itself when an object is shorter than it was.
  const onDisk = kind === 'disk' ? it : () => undefined;
  /** The file of a new attachment on the disk. */
  async function uploadedFile(size: number): Promise<{ id: string; path: string }> {
    const { store } = scene();
    assert.ok(store.place.kind === 'disk');
    const { id } = await files.upload(randomFile(size));
    const name = (await store.stored()).find((path) => path.endsWith(id));
    return { id, path: join(store.place.folder, name!) };
  }

  onDisk('bytes that are missing cut the connection off, so that nobody takes a part for the whole', async () => {
    const { id, path } = await uploadedFile(200_000);
    await truncate(path, 160_000);
    for (const headers of [{}, { range: 'bytes=150000-' }] as Record<string, string>[]) {
      await assert.rejects(files.get(id, headers), /aborted|ECONNRESET|hang up/, JSON.stringify(headers));
    }
    const { bytes: part } = await files.get(id, { range: 'bytes=0-159999' });
    assert.equal(part.length, 160_000, 'what is there can be had');
    await untilClosed();
  });

  onDisk('bytes beyond the declared ones are not sent, so that nobody takes them for the next answer', async () => {
    const { id, path } = await uploadedFile(200_000);
    await appendFile(path, 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
    await onWire(scene().server.address, async (wire) => {
      const authorization = `Bearer ${scene().app.admin.token}`;
      wire.write(head('GET', `${files.path}/${id}`, { authorization }));
      await assert.rejects(wire.answer(), /ended too early/);
    });
  });

  onDisk('a small file with fewer or more bytes than it had is refused, and is no download', async () => {
    const [shorter, longer] = [await uploadedFile(100_000), await uploadedFile(1_000)];
    await truncate(shorter.path, 60_000);
    await appendFile(longer.path, 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
    const logged = (await attachmentActivities(scene())).length;
    for (const { id } of [shorter, longer]) {
      for (const headers of [{}, { range: 'bytes=0-9' }] as Record<string, string>[]) {
        assert.deepEqual(refusedBytes(await files.get(id, headers), 503, 'UNAVAILABLE'), { reason: 'storage' });
      }
    }
    assert.equal((await attachmentActivities(scene())).length, logged);
    await untilClosed();
  });

  it('invalid HTTP after a request for a download is refused after the whole file', async () => {
    const { socket, received } = await beginReading(scene().server.address);
    const over = new Promise<void>((resolve) => socket.on('close', () => resolve()));
    socket.on('error', () => undefined).on('data', (piece: Buffer) => received.push(piece));
    socket.write('\x01garbage\r\n\r\n');
    await over;
    const all = Buffer.concat(received);
    const sent = all.subarray(all.indexOf('\r\n\r\n') + 4);
    assert.ok(sent.subarray(0, bytes.length).equals(bytes), 'something else stands in the file');
    assert.match(sent.subarray(bytes.length).toString('latin1'), /^HTTP\/1\.1 400 /);
  });

  it('a server that is stopped finishes the download and does not wait for the connection afterwards', async () => {
    const { server: first, store, app } = scene();
    const second = await startTestServer({ database: first.database, attachments: store.place });
    const { socket, received } = await beginReading(second.address);
    const closed = second.close();
    let ended = false;
    socket.on('end', () => {
      ended = true;
    });
    socket.on('data', (piece: Buffer) => received.push(piece));
    // Well below the time after which whatever is left is cut off.
    const late = AbortSignal.timeout(5_000);
    await until('the server to end the connection', () => ended || late.aborted);
    assert.ok(ended, 'the server kept the connection although the download was done');
    await closed;
    assert.ok(wholeBody(received).equals(bytes), 'to the last byte');
    assert.equal((await app.send('GET', '')).status, 200, 'the other server goes on');
  });

  it('HEAD opens nothing', async () => {
    await Promise.all(Array.from({ length: 20 }, () => files.head(large.id)));
    assert.deepEqual(openFiles(scene()), []);
  });

  it('one connection serves download, part, 304, refusal and upload in turn', async () => {
    const small = await files.upload('0123456789');
    const bearer = { authorization: `Bearer ${scene().app.admin.token}` };
    const get = (headers: Record<string, string> = {}, id = small.id) =>
      head('GET', `${files.path}/${id}`, { ...bearer, ...headers });
    const { headers } = await files.get(small.id);
    await onWire(scene().server.address, async (wire) => {
      for (const round of [1, 2, 3]) {
        const what = `round ${round}`;
        // The body is text that happens to be JSON, as the reader of answers wants it.
        const part = await wire.write(get({ range: 'bytes=1-3' })).answer();
        assert.deepEqual([part.status, part.text], [206, '123'], what);
        assert.equal((await wire.write(get({ 'if-none-match': headers.etag! })).answer()).status, 304, what);
        assert.equal((await wire.write(get({ range: 'bytes=99-' })).answer()).status, 416, what);
        assert.equal((await wire.write(get({}, `a${'0'.repeat(26)}`)).answer()).status, 404, what);
        const posted = head('POST', files.path, { ...bearer, 'content-length': '2' });
        assert.equal((await wire.write(`${posted}hi`).answer()).status, 200, what);
      }
    });
    const agentless = await exchange(scene().server.address, 'GET', `${files.path}/${small.id}`, { headers: bearer });
    assert.equal(agentless.headers.connection, 'keep-alive');
  });
});
