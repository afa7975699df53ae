// Creates with an Idempotency-Key over two servers, of which one is killed again and again, through a proxy that cuts
// replies off: sent again until it is replied to, each record exists once, and is the one that the client was told of.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { openScene, publishAt, type Scene } from '../nodes/scene.ts';
import { string, type TestApplication } from '../support/application.ts';
import { closedAtLast } from '../support/left-open.ts';
import type { ServerProcess } from '../support/process.ts';
import { type Reply, sendTo } from '../support/server.ts';

const CREATES = 200;
const CLIENTS = 8;
const KILLS = 2;
const ATTEMPTS_MAX = 2_000;
/** Part of the replies that the proxy cuts off, before their first byte or in the middle. */
const CUT = 0.5;

const COLLECTION = {
  id: 'tthings0',
  name: 'Things',
  columns: [{ id: 'ctitle00', name: 'Title', type: 'String' }],
};

interface CuttingProxy {
  readonly address: string;
  /** How many replies it has cut off. */
  cut(): number;
  close(): Promise<void>;
}

/** To one of the ports, which may change, by chance. */
async function cuttingProxy(ports: () => readonly number[]): Promise<CuttingProxy> {
  const sockets = new Set<Socket>();
  let cut = 0;
  const server: Server = createServer((client) => {
    const all = ports();
    const upstream = connect(all[Math.floor(Math.random() * all.length)]!, '127.0.0.1');
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    }
    client.on('data', (chunk) => upstream.write(chunk)).on('close', () => upstream.destroy());
    upstream.on('close', () => client.destroy());
    upstream.on('data', (chunk) => {
      if (Math.random() >= CUT) return client.write(chunk);
      cut += 1;
      if (Math.random() < 0.5) return client.destroy();
      return client.end(chunk.subarray(0, Math.floor(chunk.length / 2)));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    address: `http://127.0.0.1:${address.port}`,
    cut: () => cut,
    close: closedAtLast(async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    }),
  };
}

describe('creates with an Idempotency-Key, cut off and killed', () => {
  let scene: Scene;
  let servers: ServerProcess[];
  let proxy: CuttingProxy;
  let app: TestApplication;
  let path: string;

  before(async () => {
    scene = await openScene();
    servers = [await scene.start(), await scene.start()];
    app = await publishAt(servers[0]!.address, [COLLECTION]);
    path = `/v1/${app.id}/collections/tthings0/records`;
    proxy = await cuttingProxy(() => servers.map(({ address }) => Number(new URL(address).port)));
  });
  after(async () => {
    await proxy.close();
    await scene.close();
  });

  /** The number of attempts, and the reply that arrived whole at last. */
  async function createOnce(title: string): Promise<{ attempts: number; reply: Reply }> {
    const headers = { 'idempotency-key': randomUUID() };
    const json = { values: { ctitle00: string(title) } };
    for (let attempts = 1; attempts <= ATTEMPTS_MAX; attempts++) {
      const sent = sendTo(proxy.address, 'POST', path, { token: app.admin.token, json, headers });
      const reply = await sent.catch(() => undefined);
      if (reply?.status === 200) return { attempts, reply };
      if (reply !== undefined) assert.ok([409, 503].includes(reply.status), reply.text);
      await pause(reply === undefined ? 2 : 20);
    }
    throw new Error(`${title} was never replied to`);
  }

  it('each record exists once, and is the one that the client was told of', async () => {
    const told = new Map<string, string>();
    let attempts = 0;
    let next = 0;
    const client = async (): Promise<void> => {
      while (next < CREATES) {
        const title = `thing ${next++}`;
        const created = await createOnce(title);
        attempts += created.attempts;
        told.set(title, created.reply.body.id);
      }
    };
    const creating = Promise.all(Array.from({ length: CLIENTS }, client));
    for (let kill = 1; kill <= KILLS; kill++) {
      const from = (CREATES * kill) / (KILLS + 1);
      while (told.size < from && next < CREATES) await pause(5);
      const index = kill % 2;
      await servers[index]!.end('SIGKILL');
      servers[index] = await scene.start();
    }
    await creating;
    const rows = await scene.database.sql(`select id, rec from app_${app.id}.tthings0`);
    const stored = rows.map(([id, rec]) => [JSON.parse(rec as string).values.ctitle00.value as string, id as string]);
    assert.equal(stored.length, CREATES, 'each exists once');
    assert.deepEqual(new Map(stored as [string, string][]), told);
    const entries = await scene.database.sql(`select count(*)::int from app_${app.id}.activity where entry like $1`, [
      '%"subType":"create"%"recordId"%',
    ]);
    assert.deepEqual(entries, [[CREATES]], 'each is logged once');
    assert.ok(proxy.cut() > CREATES / 4 && attempts > CREATES, `${proxy.cut()} replies were cut off`);
  });
});
