// Stand-ins for Google's and Apple's services: they check the tokens with the public keys as the real ones do.

import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { createServer as createHttp2Server, type ServerHttp2Session } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { jwtVerify } from 'jose';

export interface PhoneMessage {
  readonly headers: Record<string, string | string[] | undefined>;
  readonly path: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into messages freely
  readonly body: any;
}

export interface PhoneReaction {
  readonly status: number;
  readonly headers?: Record<string, string>;
  readonly body?: object;
  /** Before the answer. */
  readonly delayMs?: number;
}

export interface PhoneService {
  readonly origin: string;
  /** What the operator's file holds. */
  readonly account: Record<string, string>;
  readonly taken: PhoneMessage[];
  /** How many access tokens were given out, or provider tokens seen. */
  readonly tokens: Set<string>;
  react: (message: PhoneMessage) => PhoneReaction;
  /** Of FCM: what is said of an access token besides. */
  tokenLife: unknown;
  /** Connections that were made. */
  connections: number;
  /** Ends the connections as Apple's servers do when they are replaced. */
  goAway(): void;
  close(): Promise<void>;
}

export async function startFcm(): Promise<PhoneService> {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const server = createServer(async (request, response) => {
    const content = await text(request);
    const reply = await answer(request, content).catch(
      (error): PhoneReaction => ({ status: 400, body: { error: String(error) } }),
    );
    await pause(reply.delayMs ?? 0);
    response.writeHead(reply.status, {
      'content-type': 'application/json',
      ...reply.headers,
    });
    response.end(JSON.stringify(reply.body ?? {}));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const account = {
    type: 'service_account',
    project_id: 'a-project',
    private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    client_email: 'sender@a-project.iam.gserviceaccount.com',
    token_uri: `${origin}/token`,
    origin,
  };

  async function answer(request: IncomingMessage, content: string): Promise<PhoneReaction> {
    if (request.url === '/token') {
      const form = new URLSearchParams(content);
      assert.equal(form.get('grant_type'), 'urn:ietf:params:oauth:grant-type:jwt-bearer');
      const { payload } = await jwtVerify(form.get('assertion') ?? '', publicKey, {
        algorithms: ['RS256'],
        audience: account.token_uri,
        issuer: account.client_email,
      });
      assert.equal(payload.scope, 'https://www.googleapis.com/auth/firebase.messaging');
      const token = `access-${service.tokens.size}`;
      service.tokens.add(token);
      return { status: 200, body: { access_token: token, expires_in: service.tokenLife, token_type: 'Bearer' } };
    }
    assert.equal(request.url, '/v1/projects/a-project/messages:send');
    const latest = `Bearer access-${service.tokens.size - 1}`;
    if (request.headers.authorization !== latest)
      return { status: 401, body: { error: { status: 'UNAUTHENTICATED' } } };
    const message = { headers: request.headers, path: request.url, body: JSON.parse(content) };
    const reaction = service.react(message);
    if (reaction.status === 200) service.taken.push(message);
    return reaction;
  }

  const service: PhoneService = {
    origin,
    account,
    taken: [],
    tokens: new Set(),
    tokenLife: 3_600,
    connections: 0,
    react: () => ({ status: 200, body: { name: 'projects/a-project/messages/1' } }),
    goAway: () => undefined,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
  return service;
}

/** Plain HTTP/2; Apple's is spoken to by TLS, which `node:http2` does by the address alone. */
export async function startApns(): Promise<PhoneService> {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const sessions = new Set<ServerHttp2Session>();
  const server = createHttp2Server();
  server.on('session', (session) => {
    service.connections += 1;
    sessions.add(session);
    session.on('close', () => sessions.delete(session));
  });
  server.on('stream', async (stream, headers) => {
    stream.on('error', () => undefined);
    const content = await text(stream);
    const message = { headers, path: String(headers[':path']), body: JSON.parse(content) } as PhoneMessage;
    const reply = await answer(message).catch(
      (error): PhoneReaction => ({ status: 403, body: { reason: String(error) } }),
    );
    await pause(reply.delayMs ?? 0);
    if (stream.closed || stream.destroyed) return;
    stream.respond({ ':status': reply.status, ...reply.headers });
    stream.end(reply.body === undefined ? '' : JSON.stringify(reply.body));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const account = {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    keyId: 'ABCDE12345',
    teamId: 'TEAM123456',
    topic: 'com.example.inspections',
    origin,
  };

  async function answer(message: PhoneMessage): Promise<PhoneReaction> {
    const [, token = ''] = /^bearer (.+)$/.exec(String(message.headers.authorization)) ?? [];
    const { payload, protectedHeader } = await jwtVerify(token, publicKey, {
      algorithms: ['ES256'],
      issuer: account.teamId,
    });
    assert.equal(protectedHeader.kid, account.keyId);
    assert.ok(Math.abs(Number(payload.iat) - Date.now() / 1_000) < 60);
    service.tokens.add(token);
    const reaction = service.react(message);
    if (reaction.status === 200) service.taken.push(message);
    return reaction;
  }

  const service: PhoneService = {
    origin,
    account,
    taken: [],
    tokens: new Set(),
    tokenLife: 3_600,
    connections: 0,
    react: () => ({ status: 200 }),
    goAway: () => {
      for (const session of sessions) session.close();
    },
    close: async () => {
      for (const session of sessions) session.destroy();
      server.close();
      await once(server, 'close');
    },
  };
  return service;
}
