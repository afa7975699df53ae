// A provider of a few lines that does whatever the test wants: signs anything, points anywhere, stays silent.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose';

export const CLIENT_ID = 'cartulary';
export const CLIENT_SECRET = 'top-secret-of-the-client-0123456789';

export type Respond = (request: IncomingMessage, response: ServerResponse) => void;

export const json =
  (value: unknown, status = 200): Respond =>
  (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(value));
  };

export interface SigningKey {
  readonly kid: string;
  readonly privateKey: CryptoKey;
  readonly publicJwk: JWK;
}

export async function makeKey(kid: string): Promise<SigningKey> {
  const { privateKey, publicKey } = await generateKeyPair('ES256');
  return { kid, privateKey, publicJwk: { ...(await exportJWK(publicKey)), kid, alg: 'ES256', use: 'sig' } };
}

export class HostileProvider {
  readonly #server = createServer((request, response) => this.#answer(request, response));
  issuer = '';
  key!: SigningKey;
  /** What is published; signing may use others. */
  keys: JWK[] = [];
  /** Instead of what stands there by itself, by path. */
  readonly instead = new Map<string, Respond>();
  /** The forms that the token endpoint was sent. */
  readonly forms: URLSearchParams[] = [];
  readonly asked = new Map<string, number>();
  idToken = '';
  metadata: Record<string, unknown> = {};

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    this.issuer = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
    this.key = await makeKey('first');
    this.keys = [this.key.publicJwk];
  }

  /** Also when it is closed already. */
  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeAllConnections();
    });
  }

  get settings() {
    return { issuer: this.issuer, clientId: CLIENT_ID, clientSecret: CLIENT_SECRET };
  }

  /** What a good provider would say of somebody. */
  claims(nonce: string, more: JWTPayload = {}): JWTPayload {
    const now = Math.floor(Date.now() / 1000);
    const who = { sub: 'someone', email: 'someone@example.com', email_verified: true };
    return { iss: this.issuer, aud: CLIENT_ID, iat: now, exp: now + 300, nonce, ...who, ...more };
  }

  sign(claims: JWTPayload, key: Pick<SigningKey, 'kid' | 'privateKey'> = this.key): Promise<string> {
    return new SignJWT(claims).setProtectedHeader({ alg: 'ES256', kid: key.kid }).sign(key.privateKey);
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const path = request.url?.split('?')[0] ?? '';
    this.asked.set(path, (this.asked.get(path) ?? 0) + 1);
    const respond = this.instead.get(path) ?? this.#usual(path);
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      if (path === '/token') this.forms.push(new URLSearchParams(body));
      respond(request, response);
    });
  }

  #usual(path: string): Respond {
    if (path === '/.well-known/openid-configuration') return json(this.description());
    if (path === '/jwks') return json({ keys: this.keys });
    if (path === '/token') return json({ access_token: 'a', token_type: 'Bearer', id_token: this.idToken });
    return json({ error: 'not_found' }, 404);
  }

  description(): Record<string, unknown> {
    const { issuer } = this;
    return {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/jwks`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['ES256', 'HS256', 'none'],
      ...this.metadata,
    };
  }
}

/** For one test. */
export async function startHostileProvider(test: { after(work: () => Promise<void>): void }): Promise<HostileProvider> {
  const provider = new HostileProvider();
  await provider.start();
  test.after(() => provider.close());
  return provider;
}
