// A server with few places: what clients see when there are none, and that one application cannot take them from another.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import pg from 'pg';
import { publishApplication, string, type TestApplication } from '../support/application.ts';
import { assertProblem, basic, head, onWire, send, Wire } from '../support/http-client.ts';
import { limitedTo } from '../support/quotas.ts';
import { QUICK, type Reply, startTestServer, type TestServer } from '../support/server.ts';
import { storedFiles } from '../support/stored-files.ts';
import { until } from '../support/until.ts';

const WAITING_EACH = 3;
/** Of 12 places, for who is alone. */
const ALONE = 9;
const BESIDE_OTHERS = 2;
/** More than what the sockets of both sides hold: Linux may let a receiver have 32 MB, and a sender 4. */
const FILE_BYTES = 48 * 1024 * 1024;

describe('a busy server', () => {
  let server: TestServer;
  let loud: TestApplication;
  let quiet: TestApplication;
  let holder: pg.Client;
  let folder: string;
  /** What the checks of passwords wait for. */
  let checks: Promise<void> = Promise.resolve();

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'ct-busy-'));
    server = await startTestServer({
      attachments: { kind: 'disk', folder },
      argon2: { ...QUICK, verify: (hash, password) => checks.then(() => QUICK.verify(hash, password)) },
      requestsAtOnce: 12,
      waiting: { waitingEachMax: WAITING_EACH, waitMs: 60_000 },
      transfers: { eachMax: 1, allMax: 2 },
    });
    const document = { collections: [{ name: 'Things', columns: [{ name: 'Title', type: 'String' }] }] };
    [loud, quiet] = [await publishApplication(server, document), await publishApplication(server, document)];
    // Nobody has asked for them yet: publishing them is enough to give each a share of its own.
    holder = new pg.Client(server.database.connection);
    await holder.connect();
  });
  after(async () => {
    await holder.end();
    await server.close();
    await rm(folder, { recursive: true });
  });

  const tableOf = (app: TestApplication) => `app_${app.id}.${app.ids.Things!.id}`;
  const create = (app: TestApplication, title: string) =>
    app.send('POST', app.records('Things'), { json: { values: { [app.ids.Things!.Title!]: string(title) } } });
  const files = (app: TestApplication) => `/v1/${app.id}/collections/${app.ids.Things!.id}/attachments`;
  const bearer = (app: TestApplication) => ({ authorization: `Bearer ${app.admin.token}` });

  it('refuses what finds no room at once, serves the other application, and keeps what it acknowledged', async () => {
    await holder.query(`begin; lock table ${tableOf(loud)} in exclusive mode`);
    const titles = Array.from({ length: 24 }, (_, n) => `thing ${n}`);
    const replies: { title: string; reply: Awaited<ReturnType<typeof create>> }[] = [];
    const writes = titles.map(async (title) => {
      replies.push({ title, reply: await create(loud, title) });
    });
    await until('those beyond the bound to be refused', () => replies.length >= titles.length - ALONE - WAITING_EACH);
    for (const { reply } of replies) {
      assert.equal(reply.status, 503, reply.text);
      assert.deepEqual(reply.body, { code: 'UNAVAILABLE', params: { reason: 'busy' } });
      assert.match(reply.headers.get('retry-after') ?? '', /^(?:[1-9]|10)$/);
    }
    // A server that has too much to do may have heard nothing for a while: it still knows whose requests these are.
    server.invalidate('everything');
    assert.equal((await create(loud, 'late')).status, 503);
    for (let n = 0; n < 10; n++) {
      assert.equal((await create(quiet, `quiet ${n}`)).status, 200);
      assert.equal((await quiet.send('GET', quiet.records('Things'))).body.length, n + 1);
    }
    // A body that nobody will read is not asked for.
    await onWire(server.address, async (wire) => {
      const headers = { ...bearer(loud), 'content-type': 'application/json', 'content-length': '500000' };
      wire.write(head('POST', `/v1/${loud.id}${loud.records('Things')}`, { ...headers, expect: '100-continue' }));
      const reply = await wire.answer();
      assertProblem(reply, 503, 'UNAVAILABLE');
    });
    await holder.query('commit');
    await Promise.all(writes);
    const acknowledged = replies.filter(({ reply }) => reply.status === 200).map(({ title }) => title);
    assert.ok(acknowledged.length > 0 && acknowledged.length <= ALONE + WAITING_EACH, String(acknowledged.length));
    const list = await loud.send('GET', loud.records('Things'));
    const stored = list.body.map((record: { values: Record<string, { value: string }> }) => {
      return record.values[loud.ids.Things!.Title!]?.value;
    });
    assert.deepEqual(stored.sort(), acknowledged.sort());
  });

  it('answers every one of many pipelined requests, in order', async () => {
    const paths = Array.from({ length: 300 }, (_, n) => (n % 3 === 0 ? '/healthz' : `/v1/${quiet.id}`));
    await onWire(server.address, async (wire) => {
      wire.write(paths.map((path) => head('GET', path, bearer(quiet))).join(''));
      for (const path of paths) {
        const reply = await wire.answer();
        if (path === '/healthz') assert.equal(reply.body.status, 'ok');
        else if (reply.status === 503) assertProblem(reply, 503, 'UNAVAILABLE');
        else assert.equal(reply.body.id, quiet.id);
      }
    });
  });

  /** Gives what `ask` gives for each of the numbers, when all of those requests have arrived. */
  async function arrived<T>(numbers: readonly number[], ask: (n: number) => Promise<T>): Promise<Promise<T>[]> {
    let here = 0;
    const note = () => {
      here += 1;
    };
    subscribe('http.server.request.start', note);
    try {
      const asked = numbers.map(ask);
      await until('all to arrive', () => here === numbers.length);
      return asked;
    } finally {
      unsubscribe('http.server.request.start', note);
    }
  }

  const CROWD = Array.from({ length: ALONE + WAITING_EACH }, (_, n) => n);
  /** Beside another, so that it has few places. Those who come all at once may find too many before them. */
  const untilServed = (app: TestApplication) =>
    until('it to be served', async () => {
      assert.equal((await quiet.send('GET', '')).status, 200);
      return (await app.send('GET', '')).status === 200;
    });
  async function assertAnswered(crowd: readonly Promise<Reply>[], status: number): Promise<void> {
    const statuses = (await Promise.all(crowd)).map((reply) => reply.status);
    assert.ok(statuses.filter((each) => each === status).length >= BESIDE_OTHERS + WAITING_EACH, statuses.join());
    assert.ok(
      statuses.every((each) => each === status || each === 503),
      statuses.join(),
    );
  }

  it('serves an application whose passwords wait to be checked', async () => {
    let check: () => void = () => undefined;
    checks = new Promise((resolve) => {
      check = resolve;
    });
    const headers = { authorization: basic(loud.admin.id, 'Wrong-Passw0rd') };
    const ask = () => server.send('GET', `/v1/${loud.id}`, { headers });
    await untilServed(loud);
    const wrong = await arrived(CROWD, ask);
    await untilServed(loud).finally(check);
    await assertAnswered(wrong, 401);
  });

  it('serves an application whose thumbnails wait to be made', async () => {
    const described = { 'content-type': 'image/png', 'content-disposition': 'attachment; filename="a.png"' };
    const headers = { ...bearer(loud), ...described };
    const paths: string[] = [];
    for (let n = 0; n < 3; n++) {
      const reply = await send(server.address, 'POST', files(loud), { headers, body: 'no image' });
      paths.push(`${files(loud)}/${reply.body.id}`);
    }
    // A disk that does not answer.
    const stored = (await storedFiles(folder)).filter((file) => paths.some((path) => path.endsWith(basename(file))));
    assert.equal(stored.length, 3);
    const disks = await Promise.all(stored.map(stalled));
    const answer = async () => void (await Promise.all(disks.map((disk) => disk.answer())));
    const sizes = [64, 128, 256, 512];
    const ask = (n: number) => server.send('GET', `${paths[n % 3]}?size=${sizes[n % 4]}`, { headers: bearer(loud) });
    await untilServed(loud);
    const thumbnails = await arrived(CROWD, ask);
    await untilServed(loud).finally(answer);
    await assertAnswered(thumbnails, 400);
  });

  const UPLOADING = { 'content-type': 'text/plain', 'content-disposition': 'attachment; filename="a.txt"' };
  const begin = async (app: TestApplication) => {
    const wire = await Wire.open(server.address);
    const headers = { ...bearer(app), ...UPLOADING, 'content-length': '6', expect: '100-continue' };
    wire.write(head('POST', files(app), headers));
    assert.equal((await wire.answer()).status, 100);
    return wire.write('abc');
  };
  const upload = (app: TestApplication) =>
    send(server.address, 'POST', files(app), { headers: { ...bearer(app), ...UPLOADING }, body: 'abcdef' });

  it('counts in no quota what it refuses for a while', async () => {
    const app = await publishApplication(server, limitedTo({ 'attachments-write': 2 }));
    assert.equal((await app.send('GET', '')).status, 200);
    const underWay = await begin(app);
    for (let again = 0; again < 3; again++) {
      const reply = await upload(app);
      assertProblem(reply, 503, 'UNAVAILABLE');
      assert.match(String(reply.headers.ratelimit), /^"attachments-write";r=1;/);
    }
    underWay.write('def');
    assert.equal((await underWay.answer()).status, 200);
    underWay.close();
    assert.equal((await upload(app)).status, 200);
    assertProblem(await upload(app), 429, 'TOO_MANY_REQUESTS');
  });

  it('takes a bounded number of files at once from each application and in all', async () => {
    const underWay = await begin(loud);
    assertProblem(await upload(loud), 503, 'UNAVAILABLE');
    assert.equal((await upload(quiet)).status, 200);
    assert.equal((await loud.send('GET', loud.records('Things'))).status, 200, 'requests have places of their own');
    underWay.write('def');
    assert.equal((await underWay.answer()).status, 200);
    assert.equal((await upload(loud)).status, 200);
    const left = await begin(loud);
    assertProblem(await upload(loud), 503, 'UNAVAILABLE');
    underWay.close();
    left.close();
    await until('the place of who hung up to be free', async () => (await upload(loud)).status === 200);
  });

  it('sends a bounded number of files at once to each application', async () => {
    // Which the reader of answers leaves as it is.
    const headers = { ...bearer(loud), 'content-type': 'application/x-ndjson' };
    const named = { ...headers, 'content-disposition': 'attachment; filename="large.txt"' };
    const uploaded = await send(server.address, 'POST', files(loud), {
      headers: named,
      body: Buffer.alloc(FILE_BYTES),
    });
    assert.equal(uploaded.status, 200, uploaded.text);
    const path = `${files(loud)}/${uploaded.body.id}`;
    const part = () => send(server.address, 'GET', path, { headers: { ...bearer(loud), range: 'bytes=0-9' } });
    assert.equal((await part()).status, 206);
    const { hostname, port } = new URL(server.address);
    const socket = connect({ host: hostname, port: Number(port) });
    socket.write(head('GET', path, bearer(loud)));
    // Its beginning is there, and no more is read of it.
    await once(socket, 'readable');
    assertProblem(await part(), 503, 'UNAVAILABLE');
    assert.equal((await send(server.address, 'HEAD', path, { headers: bearer(loud) })).status, 200);
    socket.destroy();
    await until('its place to be free', async () => (await part()).status === 206);
  });
});

/** Puts in the place of a file what can be opened, and gives nothing until it is told to be a file again. */
async function stalled(path: string): Promise<{ answer(): Promise<void> }> {
  const bytes = await readFile(path);
  await rm(path);
  await promisify(execFile)('mkfifo', [path]);
  const writer = await open(path, 'r+');
  const answer = async () => {
    await rm(path);
    await writeFile(path, bytes);
    await writer.close();
  };
  return { answer };
}
