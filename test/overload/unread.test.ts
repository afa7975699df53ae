// Answers that nobody reads: they take a bounded part of the memory, and no other application pays for them.

import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { after, before, describe, it } from 'node:test';
import type { Observation } from '../../src/observe.ts';
import { head, onWire } from '../http/wire.ts';
import { scrape } from '../inside/reading.ts';
import { publishApplication, string, type TestApplication } from '../support/application.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';

/** Together more than what the sockets of both sides hold. */
const RECORDS = 12;
const TEXT_BYTES = 900_000;
const ANSWER_BYTES = RECORDS * TEXT_BYTES;
const UNREAD = { eachBytesMax: ANSWER_BYTES / 2, allBytesMax: 2.5 * ANSWER_BYTES, pressedMs: 1_500 };
const CLIENTS = 6;

describe('answers that nobody reads', () => {
  let server: TestServer;
  let loud: TestApplication;
  let quiet: TestApplication;
  const cuts: Observation[] = [];
  let answered = 0;
  const clients: Socket[] = [];

  before(async () => {
    server = await startTestServer({
      unread: UNREAD,
      observe: (observation) => {
        if (observation.event === 'connections.cut') cuts.push(observation);
        if (observation.event === 'request' && observation.status === 200 && !observation.routine) answered += 1;
      },
    });
    const document = { collections: [{ name: 'Things', columns: [{ name: 'Title', type: 'String' }] }] };
    loud = await publishApplication(server, document);
    quiet = await publishApplication(server, document);
    const values = { [loud.ids.Things!.Title!]: string('x'.repeat(TEXT_BYTES)) };
    for (let n = 0; n < RECORDS; n++) {
      assert.equal((await loud.send('POST', loud.records('Things'), { json: { values } })).status, 200);
    }
  });
  after(async () => {
    for (const client of clients) client.destroy();
    await server.close();
    assert.deepEqual(server.failures, []);
  });

  const lists = (count = 1) =>
    head('GET', `/v1/${loud.id}${loud.records('Things')}`, { authorization: `Bearer ${loud.admin.token}` }).repeat(
      count,
    );
  const unreadBytes = async () => (await scrape(server.address)).sum('cartulary_unread_answer_bytes');
  /** Asks and does not read. */
  function ask(count = 1): Socket {
    const { hostname, port } = new URL(server.address);
    const client = connect({ host: hostname, port: Number(port) }).on('error', () => undefined);
    client.pause().write(lists(count));
    clients.push(client);
    return client;
  }
  async function letGo(): Promise<void> {
    for (const client of clients.splice(0)) client.destroy();
    await until('nothing to be unread', async () => (await unreadBytes()) === 0);
  }

  it('stay within their bound, and the oldest of who has the most are cut off', async () => {
    answered = 0;
    for (let n = 0; n < CLIENTS; n++) ask();
    await until('all to be answered', async () => {
      assert.ok((await unreadBytes()) <= UNREAD.allBytesMax);
      assert.equal((await quiet.send('GET', quiet.records('Things'))).status, 200);
      return answered >= CLIENTS;
    });
    assert.ok((await unreadBytes()) >= ANSWER_BYTES);
    await until('it to be told', () => cuts.length > 0);
    await letGo();
  });

  it('keep their application from more of it, but not for long', async () => {
    ask();
    await until('it to be unread', async () => (await unreadBytes()) >= ANSWER_BYTES);
    const reply = await loud.send('GET', '');
    assert.equal(reply.status, 503, reply.text);
    assert.deepEqual(reply.body, { code: 'UNAVAILABLE', params: { reason: 'busy' } });
    assert.equal((await quiet.send('GET', '')).status, 200);
    await until('who does not read to be cut off', async () => (await loud.send('GET', '')).status === 200);
    assert.equal(await unreadBytes(), 0);
    await letGo();
  });

  it('are one at a time on a connection, however many were asked for', async () => {
    await onWire(server.address, async (wire) => {
      wire.socket.pause();
      wire.write(lists(4));
      await until('the first to be unread', async () => (await unreadBytes()) > 0);
      for (let n = 0; n < 10; n++) assert.ok((await unreadBytes()) < 1.5 * ANSWER_BYTES);
      wire.socket.resume();
      assert.equal((await wire.answer()).status, 200);
    });
    await letGo();
  });
});
