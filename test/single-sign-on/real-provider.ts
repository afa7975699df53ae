// A real OpenID Connect provider on loopback (oidc-provider), whose login page lets in whoever the test says.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair } from 'jose';
import Provider, { type Configuration } from 'oidc-provider';

export const CLIENT_ID = 'cartulary';
export const CLIENT_SECRET = 'a secret : of many % characters';

export interface RealProvider {
  readonly issuer: string;
  readonly settings: { readonly issuer: string; readonly clientId: string; readonly clientSecret: string };
  /** Who is at the keyboard: the subject; undefined presses "cancel". */
  person: string | undefined;
  /** By subject. */
  readonly claims: Map<string, { email?: string; email_verified?: boolean }>;
  /** How often each path was asked for. */
  readonly asked: Map<string, number>;
  /** As after a change of keys: signs with new ones and forgets the former. */
  rotate(): Promise<void>;
  close(): Promise<void>;
}

export async function startRealProvider(
  redirectUris: string[],
  settings: Partial<Configuration> = {},
): Promise<RealProvider> {
  let handle: (request: IncomingMessage, response: ServerResponse) => unknown = () => undefined;
  const server = createServer((request, response) => handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const open = async () => {
    const provider = await makeProvider(issuer, redirectUris, { settings, claims: real.claims });
    const answer = provider.callback();
    handle = (request, response) => {
      const path = request.url?.split('?')[0] ?? '';
      real.asked.set(path, (real.asked.get(path) ?? 0) + 1);
      if (!path.startsWith('/interaction/')) return answer(request, response);
      return interact(provider, request, response, real.person);
    };
  };
  const real: RealProvider = {
    issuer,
    settings: { issuer, clientId: CLIENT_ID, clientSecret: CLIENT_SECRET },
    person: undefined,
    claims: new Map(),
    asked: new Map(),
    rotate: open,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  await open();
  return real;
}

async function makeProvider(
  issuer: string,
  redirectUris: string[],
  { settings, claims }: { settings: Partial<Configuration>; claims: RealProvider['claims'] },
): Promise<Provider> {
  const { privateKey } = await generateKeyPair('ES256', { extractable: true });
  return new Provider(issuer, {
    clients: [
      {
        client_id: CLIENT_ID,
        client_secret: CLIENT_SECRET,
        redirect_uris: redirectUris,
        grant_types: ['authorization_code'],
        response_types: ['code'],
        id_token_signed_response_alg: 'ES256',
      },
    ],
    jwks: { keys: [{ ...(await exportJWK(privateKey)), alg: 'ES256', use: 'sig', kid: crypto.randomUUID() }] },
    cookies: { keys: ['of a test'] },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    findAccount: (_context, accountId) => ({
      accountId,
      claims: () => ({ sub: accountId, ...claims.get(accountId) }),
    }),
    pkce: { required: () => true, methods: ['S256'] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_context, interaction) => `/interaction/${interaction.uid}` },
    ...settings,
  });
}

async function interact(
  provider: Provider,
  request: IncomingMessage,
  response: ServerResponse,
  person: string | undefined,
): Promise<void> {
  const { prompt, params, session, grantId } = await provider.interactionDetails(request, response);
  if (person === undefined) {
    return provider.interactionFinished(request, response, { error: 'access_denied' });
  }
  if (prompt.name === 'login') {
    return provider.interactionFinished(request, response, { login: { accountId: person } });
  }
  const grant =
    grantId === undefined
      ? new provider.Grant({ accountId: session?.accountId ?? '', clientId: String(params.client_id) })
      : await provider.Grant.find(grantId);
  grant?.addOIDCScope('openid email profile');
  const consented = await grant?.save();
  return provider.interactionFinished(request, response, { consent: { grantId: consented ?? '' } });
}
