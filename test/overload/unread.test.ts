// Answers that nobody reads: they take a bounded part of the memory, and no other application pays for them.

import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { after, before, describe, it } from 'node:test';
import type { Observation } from '../../src/events/events.ts';
import type { UnreadBounds } from '../../src/http/clients/unread-replies.ts';
import { publishApplication, string, type TestApplication } from '../support/application.ts';
import { head, onWire } from '../support/http-client.ts';
import { scrape } from '../support/metrics.ts';
import { type Reply, startTestServer, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';

/** As long as the answer to one request can be while none of its records is long. */
const RECORDS = 100;
const TEXT_BYTES = 15_000;
const ANSWER_BYTES = RECORDS * TEXT_BYTES;
/** Asked for on one connection: together more than what the sockets of both sides hold. */
const PIPELINED = 8;
const CLIENTS = 6;

function describeUnread(title: string, unread: UnreadBounds, cases: (scene: Scene) => void): void {
  describe(title, () => {
    const clients: Socket[] = [];
    const cuts: Observation[] = [];
    let server: TestServer;
    let loud: TestApplication;
    let quiet: TestApplication;

    before(async () => {
      server = await startTestServer({
        unread,
        observe: (observation) => {
          if (observation.event === 'connections.cut') cuts.push(observation);
        },
      });
      const document = { collections: [{ name: 'Things', columns: [{ name: 'Title', type: 'String' }] }] };
      loud = await publishApplication(server, document);
      quiet = await publishApplication(server, document);
      const values = { [loud.ids.Things!.Title!]: string('x'.repeat(TEXT_BYTES)) };
      const json = Array.from({ length: RECORDS / 2 }, () => ({ values }));
      for (let n = 0; n < 2; n++) {
        assert.equal((await loud.send('POST', loud.records('Things'), { json })).status, 200);
      }
    });
    after(async () => {
      for (const client of clients) client.destroy();
      await server.close();
    });

    const unreadBytes = async () => (await scrape(server.address)).sum('cartulary_unread_answer_bytes');
    const lists = () =>
      head('GET', `/v1/${loud.id}${loud.records('Things')}`, { authorization: `Bearer ${loud.admin.token}` }).repeat(
        PIPELINED,
      );
    cases({
      cuts,
      unreadBytes,
      lists,
      address: () => server.address,
      loud: (path) => loud.send('GET', path),
      quiet: (path) => quiet.send('GET', path),
      ask() {
        const { hostname, port } = new URL(server.address);
        const client = connect({ host: hostname, port: Number(port) }).on('error', () => undefined);
        client.pause().write(lists());
        clients.push(client);
      },
      async letGo() {
        for (const client of clients.splice(0)) client.destroy();
        await until('nothing to be unread', async () => (await unreadBytes()) === 0);
      },
    });
  });
}

interface Scene {
  readonly cuts: readonly Observation[];
  unreadBytes(): Promise<number>;
  lists(): string;
  address(): string;
  loud(path: string): Promise<Reply>;
  quiet(path: string): Promise<Reply>;
  /** Asks and does not read. */
  ask(): void;
  letGo(): Promise<void>;
}

const ALL = 1.5 * ANSWER_BYTES;

describeUnread('answers that nobody reads', { eachBytesMax: ALL, allBytesMax: ALL, pressedMs: 1_500 }, (scene) => {
  const { cuts, unreadBytes, ask, letGo, quiet, lists, address } = scene;

  it('stay within their limit, and the oldest of the tenant with the most are cut off', async () => {
    for (let n = 0; n < CLIENTS; n++) ask();
    await until('some to be cut off', async () => {
      assert.ok((await unreadBytes()) <= ALL);
      assert.equal((await quiet('')).status, 200);
      return cuts.length > 0;
    });
    await letGo();
  });

  it('are one at a time on a connection, however many were asked for', async () => {
    await onWire(address(), async (wire) => {
      wire.socket.pause();
      wire.write(lists());
      await until('one to be unread', async () => (await unreadBytes()) > 0);
      for (let n = 0; n < 10; n++) assert.ok((await unreadBytes()) < 1.2 * ANSWER_BYTES);
      wire.socket.resume();
      assert.equal((await wire.answer()).status, 200);
    });
    await letGo();
  });
});

describeUnread(
  'an application whose answers nobody reads',
  { eachBytesMax: 1, allBytesMax: ALL, pressedMs: 1_500 },
  (scene) => {
    const { unreadBytes, ask, letGo, loud, quiet } = scene;

    it('is kept from more of it, but not for long', async () => {
      ask();
      await until('one to be unread', async () => (await unreadBytes()) > 0);
      const reply = await loud('');
      assert.equal(reply.status, 503, reply.text);
      assert.deepEqual(reply.body, { code: 'UNAVAILABLE', params: { reason: 'busy' } });
      assert.equal((await quiet('')).status, 200);
      await until('who does not read to be cut off', async () => (await loud('')).status === 200);
      assert.equal(await unreadBytes(), 0);
      await letGo();
    });
  },
);
