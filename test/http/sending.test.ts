// What becomes of an answer that cannot be had in time, or not put on the wire: a server of nothing but answers.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { Observation } from '../../src/events/events.ts';
import { Deadlines } from '../../src/http/clients/deadlines.ts';
import { Pipelines } from '../../src/http/clients/pipelines.ts';
import { ActiveWork } from '../../src/http/clients/shutdown.ts';
import { CLIENT_TIMEOUTS } from '../../src/http/clients/timeouts.ts';
import { UnreadReplies, unreadBounds } from '../../src/http/clients/unread-replies.ts';
import type { Reply } from '../../src/http/replies/reply.ts';
import { sendReplies } from '../../src/http/send.ts';
import { ByteBudget, byteBounds } from '../../src/load/byte-budget.ts';
import { assertProblem, head, onWire, send } from '../support/http-client.ts';
import { until } from '../support/until.ts';
import { type BareServer, startBareServer } from './bare-server.ts';

const REQUEST_MS = 300;

describe('sending', () => {
  const observed: Observation[] = [];
  const deadlines = new Deadlines(REQUEST_MS, { secondsFor: () => 1 });
  let server: BareServer;
  let address = '';
  let answer: Reply = { status: 200 };
  const events = () => observed.map(({ event }) => event);

  before(async () => {
    const observe = (observation: Observation) => void observed.push(observation);
    const sending = {
      observe,
      closing: () => false,
      activeWork: new ActiveWork(),
      deadlines,
      traces: undefined,
      timeouts: CLIENT_TIMEOUTS,
      pipelines: new Pipelines(),
      unread: new UnreadReplies(unreadBounds(), observe),
      byteBudget: new ByteBudget(byteBounds()),
      compressions: undefined,
    };
    const handler = sendReplies(sending, { path: '/' }, () => answer);
    server = await startBareServer(() => handler);
    address = server.address;
  });
  after(async () => {
    deadlines.close();
    await server.close();
  });

  /** Bytes whose opening takes as long as the test wants. */
  function slowToOpen() {
    const bytes = Readable.from(['late']);
    let open: (bytes: Readable) => void = () => undefined;
    let fail: (error: Error) => void = () => undefined;
    const opened = new Promise<Readable>((resolve, reject) => {
      [open, fail] = [resolve, reject];
    });
    observed.length = 0;
    answer = { status: 200, stream: () => opened };
    return { bytes, open: () => open(bytes), fail };
  }

  it('gives bytes no longer to open than the request has', async () => {
    const slow = slowToOpen();
    const reply = await send(address, 'GET', '/');
    assertProblem(reply, 503, 'UNAVAILABLE');
    assert.deepEqual(reply.body.params, { reason: 'deadline' });
    slow.open();
    await until('what comes too late to be let go of', () => slow.bytes.destroyed);
    const failing = slowToOpen();
    assertProblem(await send(address, 'GET', '/'), 503, 'UNAVAILABLE');
    failing.fail(new Error('away'));
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(events(), ['request.refused', 'request'], 'one answer');
    assert.equal(deadlines.watched, 0);
  });

  it('notices that a reader has left while bytes are opened, which is nothing to warn of', async () => {
    const slow = slowToOpen();
    await onWire(address, async (wire) => {
      wire.write(head('GET', '/'));
      await until('it to arrive', () => deadlines.watched === 1);
    });
    await until('it to be noticed', () => observed.length > 0);
    assert.deepEqual(events(), ['request.left', 'request']);
    slow.open();
    await until('the bytes to be let go of', () => slow.bytes.destroyed);
  });

  it('sends a stream however long it takes after its first bytes', async () => {
    async function* slowly() {
      yield 'one ';
      await new Promise((resolve) => setTimeout(resolve, 2 * REQUEST_MS));
      yield 'two';
    }
    answer = {
      status: 200,
      headers: { 'content-type': 'application/x-ndjson' },
      stream: async () => Readable.from(slowly()),
    };
    assert.equal((await send(address, 'GET', '/')).text, 'one two');
  });

  it('sends the same head and text in one write and in Node’s own way', async () => {
    const latin = { 'cache-control': 'private, no-cache', etag: '"a"' };
    for (const reply of [
      { status: 200, body: '{"a":"plain"}' },
      { status: 200, body: '{"a":"日本語 ñ 🙂"}', headers: latin },
      { status: 404, body: '' },
      { status: 200, body: '[]', headers: { 'content-type': 'application/json', link: ['<a>', '<b>'] } },
    ]) {
      answer = reply;
      await onWire(address, async (wire) => {
        const kept = await wire.write(head('GET', '/')).answer();
        assert.equal(kept.text, reply.body);
        assert.equal(kept.headers['content-length'], String(Buffer.byteLength(reply.body)));
        const bodyless = await wire.write(head('HEAD', '/')).answer({ bodyless: true });
        // The last of the connection.
        const last = await wire.write(head('GET', '/', { connection: 'close' })).answer();
        await wire.over();
        assert.equal(last.text, reply.body);
        const rest = ({
          connection,
          'keep-alive': _,
          'x-request-id': id,
          date = '',
          ...headers
        }: typeof kept.headers) => {
          assert.ok(id !== undefined && !Number.isNaN(Date.parse(date)) && date.endsWith(' GMT'));
          return headers;
        };
        assert.deepEqual([rest(kept.headers), rest(bodyless.headers)], [rest(last.headers), rest(last.headers)]);
        const { connection, 'keep-alive': keepAlive } = kept.headers;
        assert.deepEqual([connection, keepAlive, last.headers.connection], ['keep-alive', 'timeout=5', 'close']);
      });
    }
  });

  it('sends bytes of its own whole, however slowly they are read, and frees their memory', async () => {
    const MB = 1024 * 1024;
    const bytesOf = (size: number) => Buffer.allocUnsafeSlow(size).fill(randomBytes(1_009));
    const [page, shared, long, file] = [bytesOf(MB), bytesOf(MB), bytesOf(8 * MB), bytesOf(8 * MB)];
    const whole = Buffer.from(page);
    const parts = Buffer.concat([Buffer.from('['), shared, Buffer.from(','), long, Buffer.from(','), shared]);
    const content = Buffer.from(file);
    const chunks = Array.from({ length: 128 }, (_, n) => Buffer.from(file.subarray(n * 65_536, (n + 1) * 65_536)));
    const replies: { reply: Reply; expected: Buffer; freed: readonly Buffer[] }[] = [
      { reply: { status: 200, body: page, ownsBytes: true }, expected: whole, freed: [page] },
      {
        reply: { status: 200, body: ['[', shared, ',', long, ',', shared], ownsBytes: true },
        expected: parts,
        freed: [shared, long],
      },
      {
        reply: {
          status: 200,
          headers: { 'content-length': String(file.length) },
          stream: async () => Readable.from(chunks),
          ownsBytes: true,
        },
        expected: content,
        freed: chunks.slice(0, 32),
      },
      { reply: { status: 200, body: content }, expected: Buffer.from(content), freed: [] },
    ];
    for (const { reply, expected, freed } of replies) {
      answer = reply;
      const request = get(address);
      const [response] = (await once(request, 'response')) as [IncomingMessage];
      // What the sockets do not hold waits in the server meanwhile.
      await pause(100);
      const received: Buffer[] = [];
      for await (const chunk of response) received.push(chunk as Buffer);
      assert.ok(Buffer.concat(received).equals(expected));
      await until('the memory to be freed', () => freed.every(({ length }) => length === 0));
    }
    assert.equal(content.length, 8 * MB, 'bytes of others stay');
  });

  it('cuts the connection when a reply cannot be sent, and releases its stream', async () => {
    const headers = { 'x-broken': 'one\r\ntwo' };
    const bytes = Readable.from(['never sent']);
    for (const broken of [
      { status: 200, headers, body: '{}' },
      { status: 200, headers, stream: async () => bytes },
    ]) {
      observed.length = 0;
      answer = broken;
      await assert.rejects(send(address, 'GET', '/'));
      assert.deepEqual(events(), ['request.failed', 'request']);
    }
    assert.ok(bytes.destroyed);
    assert.equal(deadlines.watched, 0);
    answer = { status: 200, body: '{}' };
    assert.equal((await send(address, 'GET', '/')).status, 200);
  });
});
