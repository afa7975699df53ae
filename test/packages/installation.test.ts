// A whole installation: three nodes on an external database, PgBouncer before it, files in an object store, Caddy before the
// nodes. Clients work through Caddy while nodes are killed at random, one after the other and sometimes two at a time.

import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import type { ClientHttp2Session } from 'node:http2';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { openScene, publishAt, type Scene } from '../nodes/scene.ts';
import { Random } from '../search/random.ts';
import { number, string, type TestApplication } from '../support/application.ts';
import type { ServerProcess } from '../support/process.ts';
import { startS3, type TestS3 } from '../support/s3.ts';
import { until } from '../support/until.ts';
import { openPooler, type Pooler } from './pgbouncer.ts';
import { ask, type Exchange, endProxy, type FrontProxy, openSession, startCaddy } from './proxy.ts';
import { findTool } from './tools.ts';

const [CADDY, PGBOUNCER] = [findTool('caddy'), findTool('pgbouncer')];
const LACKS = CADDY === undefined || PGBOUNCER === undefined;
const NODES = 3;
const CLIENTS = 6;
const KILLS = 4;
const FILE_BYTES = 20_000;
/** Longer than a node needs to be back. */
const RETRY_MS = 60_000;
/** What a request may get while a node dies: from Caddy, from a node that cannot serve, and for a key that the dead node holds. */
const AWAY = [502, 503, 504, 409];

interface Stored {
  readonly id: string;
  readonly code: string;
  rank: number;
}

describe('a whole installation', { skip: LACKS ? 'caddy or pgbouncer is not on this machine' : false }, () => {
  let scene: Scene;
  let s3: TestS3;
  let pooler: Pooler;
  let nodes: ServerProcess[];
  let proxy: FrontProxy;
  let folder: string;
  let session: ClientHttp2Session;
  let app: TestApplication;
  let settings: Record<string, string>;

  before(async () => {
    scene = await openScene();
    s3 = await startS3();
    pooler = await openPooler(PGBOUNCER ?? '', scene.database, { sessions: 4 });
    settings = {
      CARTULARY_POOLER_URL: pooler.url,
      CARTULARY_ATTACHMENTS: s3.url(),
      CARTULARY_TRUSTED_PROXIES: '127.0.0.1',
      CARTULARY_PUBLIC_URL: 'https://localhost',
    };
    const first = await scene.start(settings);
    nodes = [first, ...(await Promise.all(Array.from({ length: NODES - 1 }, () => scene.start(settings))))];
    const columns = [
      { name: 'Code', type: 'String', unique: true, searchable: true },
      { name: 'Rank', type: 'Number', sortable: true },
      { name: 'File', type: 'Attachment' },
    ];
    app = await publishAt(first.address, [{ name: 'Things', columns }]);
    folder = await mkdtemp(join(tmpdir(), 'ct-installation-'));
    proxy = await startCaddy(
      CADDY ?? '',
      folder,
      nodes.map(({ address }) => new URL(address).host),
    );
    session = await openSession(proxy);
  });
  after(async () => {
    session?.destroy();
    if (proxy !== undefined) await endProxy(proxy);
    await scene?.close();
    await pooler?.close();
    await s3?.close();
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  });

  const collection = () => `/v1/${app.id}/collections/${app.ids.Things?.id}`;
  const column = (name: string): string => app.ids.Things?.[name] ?? '';
  const once = (method: string, path: string, head: Record<string, string> = {}, body?: Buffer) =>
    ask(session, { ':method': method, ':path': path, authorization: `Bearer ${app.admin.token}`, ...head }, body);

  let retried = 0;

  /** Sent again until a node has served it, so what it asks for must be safe to repeat. */
  async function send(...request: Parameters<typeof once>): Promise<Exchange> {
    const givesUpAt = performance.now() + RETRY_MS;
    for (;;) {
      const reply = await once(...request);
      if (reply.status === 200) return reply;
      const [method, path] = request;
      assert.ok(AWAY.includes(reply.status), `${method} ${path}: ${reply.status} ${reply.body}`);
      assert.ok(performance.now() < givesUpAt, `${method} ${path} found no node: ${reply.body}`);
      retried += 1;
      await pause(100);
    }
  }

  const parsed = ({ body }: Exchange) => JSON.parse(body.toString());
  const sendJson = async (method: string, path: string, json: unknown, head: Record<string, string> = {}) =>
    parsed(
      await send(method, path, { 'content-type': 'application/json', ...head }, Buffer.from(JSON.stringify(json))),
    );

  async function create(code: string): Promise<Stored> {
    const values = { [column('Code')]: string(code), [column('Rank')]: number(0) };
    // The same for every attempt: an attempt that was applied without a reply is not applied again.
    const key = { 'idempotency-key': randomUUID() };
    const { id } = await sendJson('POST', `${collection()}/records`, { values }, key);
    return { id, code, rank: 0 };
  }

  async function change(stored: Stored): Promise<void> {
    const rank = stored.rank + 1;
    const values = { [column('Rank')]: number(rank) };
    await sendJson('PUT', `${collection()}/records/${stored.id}`, { replace: false, values });
    stored.rank = rank;
  }

  async function check({ id, code, rank }: Stored): Promise<void> {
    const { values } = parsed(await send('GET', `${collection()}/records/${id}`));
    assert.deepEqual([values[column('Code')].value, values[column('Rank')].value], [code, rank]);
    const search = encodeURIComponent(`Code=${code}`);
    const found = parsed(await send('GET', `${collection()}/records?search=${search}`));
    assert.deepEqual(
      found.map((record: { id: string }) => record.id),
      [id],
    );
  }

  const contentOf = (name: string): Buffer => Buffer.alloc(FILE_BYTES, createHash('sha256').update(name).digest());

  it('loses nothing, does nothing twice and fails nobody for good while its nodes are killed', async (context) => {
    const seed = Date.now() % 100_000;
    context.diagnostic(`seed ${seed}`);
    const random = new Random(seed);
    const records: Stored[] = [];
    const files: { id: string; name: string }[] = [];
    let going = true;
    const client = async (name: string) => {
      const own: Stored[] = [];
      for (let turn = 0; going; turn++) {
        const one = await create(`${name}-${turn}`);
        own.push(one);
        records.push(one);
        await change(one);
        await check(own[turn % 3] ?? one);
        const upload = `${name}-${turn}.txt`;
        const head = { 'content-type': 'text/plain', 'idempotency-key': randomUUID() };
        const { id } = parsed(await send('POST', `${collection()}/attachments`, head, contentOf(upload)));
        files.push({ id, name: upload });
        await pause(20);
      }
    };
    const clients = Promise.all(Array.from({ length: CLIENTS }, (_, n) => client(`client${n}`)));
    const restart = async (place: number) => {
      const node = nodes[place]!;
      await node.end('SIGKILL');
      await pause(random.integer(0, 1_000));
      nodes[place] = await scene.start({ ...settings, CARTULARY_PORT: new URL(node.address).port });
    };
    try {
      for (let kill = 0; kill < KILLS; kill++) {
        const served = records.length;
        const place = random.integer(0, NODES - 1);
        await Promise.all([restart(place), ...(random.chance(1 / 3) ? [restart((place + 1) % NODES)] : [])]);
        await until('more records', () => records.length > served);
      }
    } finally {
      going = false;
      await clients;
    }
    context.diagnostic(`${records.length} records, ${files.length} files, ${retried} requests were sent again`);
    for (const record of records) await check(record);
    for (const { id, name } of files) {
      const { body } = await send('GET', `${collection()}/attachments/${id}`);
      assert.ok(body.equals(contentOf(name)), name);
    }
    const schema = `app_${app.id}`;
    const stored = await scene.database.sql(`select count(*)::int from ${schema}.${app.ids.Things?.id}`);
    assert.deepEqual(stored, [[records.length]]);
    const entries = await scene.database.sql(
      `select count(*)::int from ${schema}.activity where entry like '%"type":"record","subType":"create"%'`,
    );
    assert.deepEqual(entries, [[records.length]]);
  });
});
