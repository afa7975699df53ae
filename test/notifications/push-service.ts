// A push service for browsers, and the browsers behind it: checks who sends (RFC 8292) and decrypts with the browser's
// own keys (RFC 8291), as Chrome's and Mozilla's do. What it answers is up to the test.

import assert from 'node:assert/strict';
import { createECDH, createPublicKey, type ECDH, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { jwtVerify } from 'jose';

// Has no types.
const ece = createRequire(import.meta.url)('http_ece') as {
  decrypt(body: Buffer, options: { version: 'aes128gcm'; privateKey: ECDH; authSecret: string }): Buffer;
};

export interface Arrival {
  // biome-ignore lint/suspicious/noExplicitAny: tests look into messages freely
  readonly message: any;
  readonly headers: IncomingMessage['headers'];
  readonly at: number;
  readonly plainBytes: number;
}

export interface Browser {
  /** As `PushSubscription.toJSON()` gives it. */
  readonly subscription: { endpoint: string; expirationTime: null; keys: { p256dh: string; auth: string } };
  /** What it was given and accepted. */
  readonly arrivals: Arrival[];
}

export interface Reaction {
  readonly status: number;
  readonly headers?: Record<string, string>;
  readonly body?: string;
  /** Before the answer. */
  readonly delayMs?: number;
}

export interface PushService {
  readonly origin: string;
  /** Requests of all kinds. */
  requests: number;
  /** Under way at a time, at the most. */
  busiest: number;
  /** What is answered; a message counts as arrived when that is below 300. */
  react: (request: IncomingMessage) => Reaction;
  browser(): Browser;
  close(): Promise<void>;
}

const TAKEN: Reaction = { status: 201 };

export async function startPushService(publicKey?: () => string): Promise<PushService> {
  const browsers = new Map<string, Browser & { readonly ecdh: ECDH }>();
  const verified = new Set<string>();
  let underWay = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    service.requests += 1;
    underWay += 1;
    service.busiest = Math.max(service.busiest, underWay);
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', async () => {
      let reaction = service.react(request);
      try {
        if (reaction.delayMs !== undefined) await new Promise((done) => setTimeout(done, reaction.delayMs));
        if (reaction.status < 300) await accept(request, Buffer.concat(chunks));
      } catch (error) {
        reaction = { status: 400, body: String(error) };
      }
      underWay -= 1;
      response.writeHead(reaction.status, reaction.headers).end(reaction.body);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  async function accept(request: IncomingMessage, body: Buffer): Promise<void> {
    const browser = browsers.get(request.url ?? '');
    assert.ok(browser, 'no such subscription');
    assert.equal(request.method, 'POST');
    assert.equal(request.headers['content-encoding'], 'aes128gcm');
    await checkSender(request.headers.authorization ?? '');
    const { auth } = browser.subscription.keys;
    const plain = ece.decrypt(body, { version: 'aes128gcm', privateKey: browser.ecdh, authSecret: auth });
    const message = JSON.parse(plain.toString('utf8'));
    browser.arrivals.push({ message, headers: request.headers, at: Date.now(), plainBytes: plain.length });
  }

  async function checkSender(authorization: string): Promise<void> {
    if (verified.has(authorization)) return;
    const [, token = '', key = ''] = /^vapid t=([\w.-]+), k=([\w-]+)$/.exec(authorization) ?? [];
    const point = Buffer.from(key, 'base64url');
    assert.equal(point.length, 65);
    if (publicKey !== undefined) assert.equal(key, publicKey());
    const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((half) => half.toString('base64url'));
    const jwk = createPublicKey({ key: { kty: 'EC', crv: 'P-256', x: x!, y: y! }, format: 'jwk' });
    const { payload } = await jwtVerify(token, jwk, { algorithms: ['ES256'], audience: origin });
    assert.match(String(payload.sub), /^(?:mailto:|https:)/);
    assert.ok(Number(payload.exp) <= Date.now() / 1_000 + 24 * 60 * 60, 'signed for longer than a day');
    verified.add(authorization);
  }

  const service: PushService = {
    origin,
    requests: 0,
    busiest: 0,
    react: () => TAKEN,
    browser() {
      const ecdh = createECDH('prime256v1');
      const p256dh = ecdh.generateKeys('base64url');
      const auth = randomBytes(16).toString('base64url');
      const path = `/send/${randomBytes(12).toString('base64url')}`;
      const subscription = { endpoint: origin + path, expirationTime: null, keys: { p256dh, auth } };
      const browser = { subscription, arrivals: [] as Arrival[], ecdh };
      browsers.set(path, browser);
      return browser;
    },
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
  return service;
}
