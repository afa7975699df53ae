// What Caddy and nginx, as deploy/ sets them up, do when a node breaks off or is away, or a client leaves. The nodes here
// are servers that only note what they are sent.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { type ClientHttp2Session, constants } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { until } from '../support/until.ts';
import { ask, type Exchange, endProxy, type FrontProxy, openSession, startCaddy, startNginx } from './proxy.ts';
import { findTool } from './tools.ts';

interface NotingNode {
  readonly host: string;
  /** Such as `GET /a?b`, when its first bytes have arrived. */
  readonly begun: string[];
  /** Such as `GET /a?b`, when it was received to its last byte. */
  readonly received: string[];
  /** Those whose connection was closed before there was a reply. */
  readonly abandoned: string[];
  end(): Promise<void>;
}

type Conduct = 'reply' | 'break off' | 'trickle' | 'wait';

/** A reply is the body that was sent. `trickle`: the first part of a reply, and no end. */
async function startNode(conductOf: (request: string) => Conduct): Promise<NotingNode> {
  const begun: string[] = [];
  const received: string[] = [];
  const abandoned: string[] = [];
  const server = createServer(async (request, response) => {
    const line = `${request.method} ${request.url}`;
    begun.push(line);
    const body = await text(request).catch(() => undefined);
    if (body === undefined) return;
    if (line !== 'GET /readyz') received.push(line);
    response.on('close', () => {
      if (!response.writableEnded) abandoned.push(line);
    });
    const conduct = conductOf(line);
    if (conduct === 'reply') response.end(body);
    else if (conduct === 'trickle') response.write('the first part');
    else if (conduct === 'break off') request.socket.destroy();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    begun,
    received,
    abandoned,
    async end() {
      if (!server.listening) return;
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

const { NGHTTP2_CANCEL } = constants;
const NODES = 3;
/** Each node is left out for a second after a failure, and is tried again several times in this. */
const ROUNDS = 15;
const ROUND_MS = 300;
const BODY = Buffer.alloc(100_000, 'a body ');
/** Of a search with a blank, and a path with a slash in a name. */
const PATH = '/a%2Fb?limit=100&search=%22x%20y%22';

for (const [name, start] of [
  ['caddy', startCaddy],
  ['nginx', startNginx],
] as const) {
  const program = findTool(name);
  const lacks = program === undefined || (name === 'nginx' && findTool('openssl') === undefined);

  describe(`${name} before nodes that fail`, { skip: lacks ? `${name} is not on this machine` : false }, () => {
    let nodes: NotingNode[];
    let folder: string;
    let proxy: FrontProxy;
    let session: ClientHttp2Session;
    const seen = new Set<string>();

    before(async () => {
      const conductOf = (line: string): Conduct => {
        const isRepeated = seen.has(line);
        seen.add(line);
        if (line.includes('/wait')) return 'wait';
        if (line.includes('/trickle')) return 'trickle';
        return line.includes('/cut') && !(isRepeated && line.startsWith('GET')) ? 'break off' : 'reply';
      };
      nodes = await Promise.all(Array.from({ length: NODES }, () => startNode(conductOf)));
      folder = await mkdtemp(join(tmpdir(), 'ct-proxy-'));
      const hosts = nodes.map(({ host }) => host);
      proxy = await start(program ?? '', folder, hosts);
    });
    // nginx ends a connection after a thousand requests.
    beforeEach(async () => {
      session = await openSession(proxy);
    });
    afterEach(() => session.destroy());
    after(async () => {
      if (proxy !== undefined) await endProxy(proxy);
      await Promise.all((nodes ?? []).map((node) => node.end()));
      await rm(folder, { recursive: true, force: true });
    });

    const send = (method: string, path: string): Promise<Exchange> => {
      // Go's client, which Caddy sends with, takes a request with this header for one that may be repeated.
      const head = { ':method': method, ':path': path, 'idempotency-key': 'a-key-of-the-client' };
      if (['GET', 'DELETE'].includes(method)) return ask(session, head, undefined);
      return ask(session, { ...head, 'content-length': String(BODY.length) }, BODY);
    };

    /** Over HTTP/1.1, head and body in one write, as small requests come. */
    async function sendAtOnce(method: string, path: string): Promise<number> {
      const socket = connectTls({
        host: 'localhost',
        port: proxy.port,
        rejectUnauthorized: false,
        servername: 'localhost',
      });
      await once(socket, 'secureConnect');
      const body = '{"values":{}}';
      const head = [`${method} ${path} HTTP/1.1`, `host: localhost:${proxy.port}`, `content-length: ${body.length}`];
      socket.write([...head, 'content-type: application/json', 'connection: close', '', body].join('\r\n'));
      return Number(/^HTTP\/1\.1 (\d+)/.exec(await text(socket))?.[1]);
    }

    /** Until the proxy has a connection to each node that it can use again. */
    async function untilAllAreUsed(): Promise<void> {
      const before = nodes.map(({ received }) => received.length);
      await until('all nodes to be used', async () => {
        await send('GET', '/any');
        return nodes.every(({ received }, n) => received.length > (before[n] ?? 0) + 1);
      });
    }

    for (const method of ['DELETE', 'PUT', 'PATCH', 'POST', 'GET']) {
      const isRepeated = method === 'GET';
      it(`sends a ${method} that a node broke off ${isRepeated ? 'to another one' : 'to no other'}`, async () => {
        await untilAllAreUsed();
        const { status } = await send(method, `/cut${PATH}`);
        assert.equal(status, isRepeated ? 200 : 502);
        // What is repeated is repeated at once.
        await untilAllAreUsed();
        const lines = nodes.flatMap(({ received }) => received).filter((line) => line === `${method} /cut${PATH}`);
        assert.equal(lines.length, isRepeated ? 2 : 1);
      });
    }

    for (const method of ['PUT', 'PATCH', 'POST']) {
      it(`sends a short ${method} that a node broke off to no other`, async () => {
        await untilAllAreUsed();
        const path = `/cut/short${PATH}`;
        assert.equal(await sendAtOnce(method, path), 502);
        await untilAllAreUsed();
        const lines = nodes.flatMap(({ received }) => received).filter((line) => line === `${method} ${path}`);
        assert.equal(lines.length, 1);
      });
    }

    it('passes on what a reply has so far', async () => {
      const stream = session.request({ ':path': '/trickle' });
      const [part] = await once(stream, 'data');
      assert.equal(String(part), 'the first part');
      stream.close(NGHTTP2_CANCEL);
      await until('the node to know', () => nodes.some(({ abandoned }) => abandoned.includes('GET /trickle')));
    });

    // A node refuses a body that is too large when it has seen its beginning; a proxy that kept it would fill its disk.
    for (const method of ['PUT', 'PATCH', 'POST']) {
      it(`passes on the beginning of a body of ${method} before its end has come`, async () => {
        const path = `/begin${PATH}`;
        const stream = session.request({
          ':method': method,
          ':path': path,
          'content-length': String(20 * BODY.length),
        });
        stream.on('error', () => undefined);
        stream.write(BODY);
        await until('a node to know of it', () => nodes.some(({ begun }) => begun.includes(`${method} ${path}`)));
        stream.close(NGHTTP2_CANCEL);
      });
    }

    it('tells a node that the client of a request has left', async () => {
      const stream = session.request({ ':path': '/wait' });
      await until('a node to have it', () => nodes.some(({ received }) => received.includes('GET /wait')));
      stream.close(NGHTTP2_CANCEL);
      await until('the node to know', () => nodes.some(({ abandoned }) => abandoned.includes('GET /wait')));
    });

    // Caddy 2.6 gives up a body with the first connection that fails.
    const safe = name === 'caddy' ? ['GET', 'DELETE'] : ['GET', 'DELETE', 'PUT', 'POST'];

    it(`fails no ${safe.join(', ')} because a node refuses connections`, async () => {
      await untilAllAreUsed();
      await nodes[2]?.end();
      for (let round = 0; round < ROUNDS; round++) {
        for (const method of safe) {
          const path = `/${round}${PATH}`;
          const { status, body } = await send(method, path);
          assert.equal(status, 200, `${method} ${path}: ${body}`);
          assert.equal(body.length, ['GET', 'DELETE'].includes(method) ? 0 : BODY.length);
          assert.ok(nodes.some(({ received }) => received.includes(`${method} ${path}`)));
        }
        await pause(ROUND_MS);
      }
    });
  });
}
