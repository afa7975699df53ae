// Clients that take too long, send too much or read nothing, and too many of them: against a server with short timeouts.

import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import type { IncomingMessage, Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Observation } from '../../src/events/events.ts';
import { publishApplication, string, type TestApplication } from '../support/application.ts';
import { assertProblem, head, onWire, send, type Wire } from '../support/http-client.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';

const CONNECTIONS_MAX = 12;
const HEADERS_MAX = 256;
const HEADERS_MS = 400;
/** More than what the sockets of both sides hold. */
const RECORDS = 24;
const TEXT_BYTES = 900_000;
/** Less than those have who are cut off when a server stops. */
const STOP_MS_MAX = 8_000;

describe('slow clients', { timeout: 60_000 }, () => {
  let server: TestServer;
  let app: TestApplication;
  const dropped: Observation[] = [];

  before(async () => {
    server = await startTestServer({
      clientConnectionsMax: CONNECTIONS_MAX,
      clientTimeouts: {
        ...{ headersMs: HEADERS_MS, keepAliveMs: 500, bodyMs: 1_000, bodySilenceMs: 400, readerMs: 400 },
        ...{ filePartBytes: 1_000, filePartMs: 1_000 },
      },
      observe: (observation) => observation.event === 'connections.dropped' && dropped.push(observation),
    });
    app = await publishApplication(server, {
      collections: [{ name: 'Things', columns: [{ name: 'Title', type: 'String' }] }],
    });
  });
  after(() => {});

  const records = () => `/v1/${app.id}${app.records('Things')}`;
  const bearer = () => ({ authorization: `Bearer ${app.admin.token}` });
  const posting = (length: number) => ({
    ...bearer(),
    'content-type': 'application/json',
    'content-length': String(length),
  });

  /** Sends one byte after the other until the server has enough of it. */
  async function trickle(wire: Wire, text: string): Promise<void> {
    // Not `once`, which would take a connection that is reset for a failure.
    const closed = new Promise((resolve) => wire.socket.once('close', resolve));
    let over = false;
    void closed.then(() => {
      over = true;
    });
    for (const byte of text) {
      if (over) break;
      wire.socket.write(byte);
      await Promise.race([closed, sleep(50)]);
    }
    assert.ok(over, 'all of it was taken');
  }

  it('get a reply when their headers take too long', async () => {
    await onWire(server.address, async (wire) => {
      wire.write(`GET /healthz HTTP/1.1\r\nHost: te`);
      const reply = await wire.answer();
      assertProblem(reply, 400, 'INVALID_PARAMETER');
      assert.deepEqual(reply.body.params, { parameter: 'request', reason: 'headers did not arrive in time' });
      await wire.over();
    });
    await onWire(server.address, (wire) => trickle(wire, head('GET', '/healthz', { 'x-long': 'x'.repeat(200) })));
  });

  it('have no more than that time, whenever Node looks at them', async () => {
    let looking: { headersTimeout: number; connectionsCheckingInterval?: number } | undefined;
    const note = (message: unknown) => {
      looking = (message as { server: Server }).server;
    };
    subscribe('http.server.request.start', note);
    await send(server.address, 'GET', '/healthz');
    unsubscribe('http.server.request.start', note);
    assert.ok(looking?.connectionsCheckingInterval !== undefined);
    assert.ok(looking.headersTimeout + looking.connectionsCheckingInterval <= HEADERS_MS);
  });

  it('are cut off without a word when they say none', async () => {
    await onWire(server.address, (wire) => wire.over());
  });

  it('are cut off when nothing of a body comes, or too little', async () => {
    const closed = async (write: (wire: Wire) => Promise<unknown>) => {
      await onWire(server.address, async (wire) => {
        const gone = once(wire.socket, 'close');
        await write(wire);
        await gone;
      });
    };
    await closed(async (wire) => wire.write(`${head('POST', records(), posting(50))}{"val`));
    await closed(async (wire) => {
      wire.write(head('POST', records(), posting(500)));
      await trickle(wire, ' '.repeat(499));
    });
    // Of a body that was refused, too: the answer comes, and then its end is not waited for.
    await onWire(server.address, async (wire) => {
      wire.write(`${head('POST', records(), { ...posting(500), authorization: 'Bearer nobody' })}{`);
      assertProblem(await wire.answer(), 401, 'UNAUTHORIZED');
      await wire.over();
    });
    const stored = await server.database.sql(`select count(*)::int from app_${app.id}.${app.ids.Things!.id}`);
    assert.deepEqual(stored, [[0]]);
  });

  /** With the server's end of it. They do not close their side when the server closes its own. */
  async function halfOpen(text: string): Promise<{ client: Socket; socket: Socket }> {
    const accepted: Socket[] = [];
    const note = (message: unknown) => accepted.push((message as { socket: Socket }).socket);
    subscribe('net.server.socket', note);
    const { hostname, port } = new URL(server.address);
    const client = connect({ host: hostname, port: Number(port), allowHalfOpen: true }).on('error', () => undefined);
    try {
      client.resume().write(text);
      await until('it to be accepted', () => accepted.length > 0);
    } finally {
      unsubscribe('net.server.socket', note);
    }
    const [socket] = accepted;
    assert.ok(socket !== undefined);
    return { client, socket };
  }

  it('are disconnected when they do not close after the last reply', async () => {
    const unfinished = 'GET / HTTP/1.1\r\nX-A';
    const closing = head('GET', '/healthz', { connection: 'close' });
    const upgrading = head('GET', '/healthz', { connection: 'upgrade', upgrade: 'websocket' });
    for (const text of [unfinished, 'CONNECT a:1 HTTP/1.1\r\n\r\n', 'nonsense\r\n\r\n', closing, upgrading]) {
      const { client, socket } = await halfOpen(text);
      await until(`the end of ${text}`, () => socket.destroyed);
      client.destroy();
    }
  });

  it('are cut off when a file comes too slowly, however regularly', async () => {
    const path = `/v1/${app.id}/collections/${app.ids.Things!.id}/attachments`;
    const described = { 'content-type': 'text/plain', 'content-disposition': 'attachment; filename="a.txt"' };
    const uploading = head('POST', path, { ...bearer(), ...described, 'content-length': '2500' });
    await onWire(server.address, (wire) => trickle(wire.write(uploading), 'x'.repeat(100)));
    await onWire(server.address, async (wire) => {
      wire.write(uploading);
      for (const bytes of [1_000, 500, 500, 500]) {
        await sleep(400);
        wire.write('x'.repeat(bytes));
      }
      assert.equal((await wire.answer()).status, 200);
    });
  });

  it('may pause in a body for a while', async () => {
    const body = '{"values":{}}';
    await onWire(server.address, async (wire) => {
      wire.write(head('POST', records(), posting(body.length)));
      for (const part of [body.slice(0, 5), body.slice(5, 8), body.slice(8)]) {
        await sleep(200);
        wire.write(part);
      }
      assert.equal((await wire.answer()).status, 200);
    });
  });

  it('are cut off when they do not read their reply, and clients that read get all of it', async () => {
    const values = { [app.ids.Things!.Title!]: string('x'.repeat(TEXT_BYTES)) };
    for (let n = 0; n < RECORDS; n++) {
      assert.equal((await app.send('POST', app.records('Things'), { json: { values } })).status, 200);
    }
    const served: Socket[] = [];
    const note = (message: unknown) => served.push((message as { request: IncomingMessage }).request.socket);
    subscribe('http.server.request.start', note);
    const { hostname, port } = new URL(server.address);
    const client = connect({ host: hostname, port: Number(port) }).on('error', () => undefined);
    try {
      client.write(head('GET', records(), bearer()).repeat(3));
      await until('the request to arrive', () => served.length > 0);
      const [socket] = served;
      assert.ok(socket !== undefined);
      await until('it to be cut off', () => socket.destroyed);
    } finally {
      unsubscribe('http.server.request.start', note);
      client.destroy();
    }
    const reply = await send(server.address, 'GET', records(), { headers: bearer() });
    assert.ok(reply.text.length > RECORDS * TEXT_BYTES);
    assert.equal(reply.status, 200);
  });

  it('may send many headers, and none of them is left out; more are refused', async () => {
    const headers = (count: number) =>
      Object.fromEntries([
        ...Array.from({ length: count - 2 }, (_, n) => [`x-${n}`, 'x']),
        ...Object.entries(bearer()),
      ]);
    await onWire(server.address, async (wire) => {
      const reply = await wire.write(head('GET', `/v1/${app.id}`, headers(HEADERS_MAX))).answer();
      assert.equal(reply.status, 200, reply.text);
    });
    for (const count of [HEADERS_MAX + 1, 5_000]) {
      await onWire(server.address, async (wire) => {
        const reply = await wire.write(head('GET', `/v1/${app.id}`, headers(count))).answer();
        assertProblem(reply, 400, 'INVALID_PARAMETER');
        assert.deepEqual(reply.body.params, { parameter: 'request', reason: 'has more than 256 headers' });
      });
    }
  });

  it('fill no memory with headers or trailers of a few bytes each', async () => {
    let kept: IncomingMessage | undefined;
    const note = (message: unknown) => {
      kept = (message as { request: IncomingMessage }).request;
    };
    subscribe('http.server.request.start', note);
    const tiny = 'ab:\r\n'.repeat(40_000);
    await onWire(server.address, async (wire) => {
      const reply = await wire.write(`GET /healthz HTTP/1.1\r\nHost: x\r\n${tiny}\r\n`).answer();
      assertProblem(reply, 400, 'INVALID_PARAMETER');
      assert.ok((kept?.rawHeaders.length ?? 0) < 8 * HEADERS_MAX, String(kept?.rawHeaders.length));
    });
    await onWire(server.address, async (wire) => {
      wire.write(`${head('GET', '/healthz', { 'transfer-encoding': 'chunked' })}0\r\n${tiny}\r\n`);
      assert.equal((await wire.answer()).status, 200);
      await until('the trailers to come', () => kept?.complete === true);
      assert.ok((kept?.rawTrailers.length ?? 0) < 8 * HEADERS_MAX, String(kept?.rawTrailers.length));
    });
    unsubscribe('http.server.request.start', note);
  });

  it('are not let in beyond a number of connections, which is noticed once', async () => {
    await until('earlier ones to be gone', async () => {
      const { hostname, port } = new URL(server.address);
      const open = await Promise.all(
        Array.from({ length: CONNECTIONS_MAX }, async () => {
          const socket = connect({ host: hostname, port: Number(port) }).on('error', () => undefined);
          socket.write(head('GET', '/healthz'));
          const answered = await Promise.race([once(socket, 'data').then(() => true), once(socket, 'close')]);
          return { socket, answered: answered === true };
        }),
      );
      const all = open.every(({ answered }) => answered);
      // One more has no place while those are open.
      if (all) await onWire(server.address, (wire) => wire.over());
      for (const { socket } of open) socket.destroy();
      return all;
    });
    await until('it to be noticed', () => dropped.length > 0);
    await until('the next to be served', async () => {
      const reply = await send(server.address, 'GET', '/healthz').catch(() => undefined);
      return reply?.status === 200;
    });
  });

  it('do not keep the server from stopping', async () => {
    const silent = await halfOpen('');
    const connecting = await halfOpen('CONNECT a:1 HTTP/1.1\r\n\r\n');
    const since = performance.now();
    await server.close();
    assert.ok(performance.now() - since < STOP_MS_MAX);
    for (const { client } of [silent, connecting]) client.destroy();
  });
});
