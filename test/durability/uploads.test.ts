// Uploads are there whole or not at all: after kill -9 of the server in the middle of many, and on a disk that is full.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { publishApplication, type TestApplication } from '../support/application.ts';
import { type Exchange, exchange, filesOf, refusedBytes, sha256, uploaded } from '../support/attachments.ts';
import { type ServerProcess, spawnServer } from '../support/process.ts';
import { OPERATOR_KEY, sendTo, startTestServer, type TestServer } from '../support/server.ts';
import { storedFiles } from '../support/stored-files.ts';

const ROUNDS = 2;
const UPLOADERS = 8;
const SIZE_MAX = 2_000_000;
const DOCUMENT = { collections: [{ id: 'tfiles00', name: 'Files', columns: [{ name: 'File', type: 'Attachment' }] }] };
const run = promisify(execFile);

/** Files below the folder by their names, without its marker. */
async function filesBelow(folder: string): Promise<Map<string, string>> {
  return new Map((await storedFiles(folder)).map((path) => [basename(path), path]));
}

describe('kill -9 during uploads', () => {
  let folder: string;
  let environment: Record<string, string>;
  let server: ServerProcess;
  let app: TestApplication;
  let path: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'ct-upload-kill-'));
    environment = { CARTULARY_DATA: folder, CARTULARY_OPERATOR_KEY: OPERATOR_KEY };
    server = await spawnServer(environment);
    const operator: TestServer['operator'] = (method, place, json) =>
      sendTo(server.address, method, `/operator/v1${place}`, { token: OPERATOR_KEY, ...(json ? { json } : {}) });
    app = await publishApplication({ operator } as TestServer, DOCUMENT);
    path = `/v1/${app.id}/collections/tfiles00/attachments`;
  });
  after(async () => {
    await server.end('SIGTERM');
    await rm(folder, { recursive: true, force: true });
  });

  const send = (method: string, place: string, options: Exchange = {}) =>
    exchange(server.address, method, place, { token: app.admin.token, ...options });

  /** Uploads until stopped; `acknowledged` gets identifier and hash of each that was answered with 200. */
  function upload(acknowledged: Map<string, string>) {
    let stopped = false;
    const uploader = async (_: unknown, number: number): Promise<void> => {
      for (let n = 0; !stopped && n < 1_000; n += 1) {
        const body = randomBytes(1 + Math.floor(Math.random() * (n % 3 === 0 ? 5_000 : SIZE_MAX)));
        try {
          const { status, body: answer } = await send('POST', path, { body, chunked: (n + number) % 2 === 0 });
          if (status === 200) acknowledged.set(answer.id, sha256(body));
        } catch {
          // The connection broke: nobody was told that it is there.
          await pause(20);
        }
      }
    };
    const uploaders = Array.from({ length: UPLOADERS }, uploader);
    return async () => {
      stopped = true;
      await Promise.all(uploaders);
    };
  }

  it('each acknowledged one is whole afterwards, and of the others nothing is left', async () => {
    const acknowledged = new Map<string, string>();
    for (let round = 1; round <= ROUNDS; round += 1) {
      const stop = upload(acknowledged);
      await pause(400 + 300 * Math.random());
      await server.end('SIGKILL');
      await stop();
      server = await spawnServer(environment);
      for (const [id, hash] of acknowledged) {
        const { status, bytes } = await send('GET', `${path}/${id}`);
        assert.equal(status, 200, `${id} was acknowledged and is gone (round ${round})`);
        assert.equal(sha256(bytes), hash, `${id} holds other bytes (round ${round})`);
      }
    }
    assert.ok(acknowledged.size > ROUNDS, 'the uploaders got something done');
    await assertNothingHalf();
  });

  /** What was finished without the client hearing of it may be there too, as long as it is whole. */
  async function assertNothingHalf(): Promise<void> {
    const client = new pg.Client({ host: join(folder, 'postgres/socket'), user: 'cartulary', database: 'postgres' });
    await client.connect();
    try {
      const rowsOf = async () =>
        (
          await client.query<{ id: string; state: string; hash: string }>(
            `select id, state, hash from app_${app.id}.attachments`,
          )
        ).rows;
      const attachments = join(folder, 'attachments');
      let left: string[] = [];
      for (let attempt = 0; attempt < 300; attempt += 1) {
        const rows = await rowsOf();
        const available = new Set(rows.filter(({ state }) => state === 'available').map(({ id }) => id));
        // A folder that has become empty may go while it is looked through.
        const files = await filesBelow(attachments).catch(() => undefined);
        const strays = [...(files?.keys() ?? ['not known'])].filter((name) => !available.has(name));
        left = [...rows.filter(({ id }) => !available.has(id)).map(({ id, state }) => `row ${id} ${state}`), ...strays];
        if (left.length === 0) break;
        await pause(100);
      }
      assert.deepEqual(left, [], 'still there 30 s after the start');
      const files = await filesBelow(attachments);
      for (const { id, hash } of await rowsOf()) {
        assert.ok(files.has(id), `the bytes of ${id} are gone`);
        assert.equal(sha256(await readFile(files.get(id)!)), hash, `the bytes of ${id} are others`);
      }
    } finally {
      await client.end();
    }
  }
});

/** undefined when file systems can be mounted here; otherwise why not. */
async function mountRefusal(folder: string): Promise<string | undefined> {
  try {
    await run('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', folder]);
    return undefined;
  } catch (error) {
    return `no small file system can be mounted here: ${error instanceof Error ? error.message : error}`;
  }
}

describe('a full disk', () => {
  let home: string;
  let folder: string;
  let refusal: string | undefined;
  let server: TestServer;
  let app: TestApplication;

  before(async () => {
    home = await mkdtemp(join(tmpdir(), 'ct-full-'));
    folder = join(home, 'small');
    await mkdir(folder);
    refusal = await mountRefusal(folder);
    if (refusal !== undefined) return;
    server = await startTestServer({ attachments: { kind: 'disk', folder } });
    app = await publishApplication(server, DOCUMENT);
  });
  after(async () => {
    if (refusal === undefined) {
      await server.close();
      await run('umount', [folder]);
    }
    await rm(home, { recursive: true, force: true });
  });

  it('refuses what does not fit, keeps what is there, and takes what fits afterwards', async (t) => {
    if (refusal !== undefined) {
      t.skip(refusal);
      return;
    }
    const files = filesOf({ server, app }, 'Files');
    const first = randomBytes(1_000_000);
    const { id } = await files.upload(first);
    const traces = async () => [
      ...(await server.database.sql(`select id, state from app_${app.id}.attachments order by id`)).flat(),
      ...[...(await filesBelow(folder)).keys()].sort(),
    ];
    const before = await traces();
    for (const chunked of [false, true]) {
      const reply = await files.send(randomBytes(8_000_000), {}, { chunked });
      refusedBytes(reply, 503, 'UNAVAILABLE');
      assert.match(String(reply.headers['retry-after']), /^\d+$/);
      assert.doesNotMatch(reply.bytes.toString(), /ENOSPC|small|no space/i);
      assert.deepEqual(await traces(), before, 'nothing is left of it');
      assert.ok((await files.get(id)).bytes.equals(first), 'what was there can be read');
    }
    // Together they do not fit: some are refused, and those that are not are whole.
    const bodies = Array.from({ length: 6 }, () => randomBytes(900_000));
    const replies = await Promise.all(bodies.map((body) => files.send(body)));
    for (const [n, reply] of replies.entries()) {
      if (reply.status === 200) assert.ok((await files.get(reply.body.id)).bytes.equals(bodies[n]!));
      else refusedBytes(reply, 503, 'UNAVAILABLE');
    }
    assert.ok(
      replies.some(({ status }) => status === 503),
      'six of them are more than the disk has room for',
    );
    const small = uploaded(await files.send(randomBytes(1_000)));
    assert.equal(small.size, 1_000);
    assert.ok((await files.get(id)).bytes.equals(first));
  });
});
