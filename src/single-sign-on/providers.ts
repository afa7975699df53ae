// The client of the organizations' OpenID Connect providers: authorization code flow with PKCE. Knows nothing of accounts;
// the operation decides which identity may sign in.

import type * as OpenidClient from 'openid-client';
import { isConfidential, isLoopback } from '../domain/loopback.ts';
import { BoundedMap } from '../load/bounded-map.ts';
import { boundedFetch, ProviderAway } from './bounded-fetch.ts';

/** The organization's registration at its provider. */
export interface Registration {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret?: string;
}

/** The values that the provider has to send back unchanged, and the address to send them to. */
export interface Attempt {
  readonly redirectUri: string;
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

export interface EmailClaim {
  readonly email: string;
  /** Undefined when the provider does not say. */
  readonly verified: boolean | undefined;
}

/** A person, as signed by the provider. */
export interface Identity {
  readonly issuer: string;
  readonly sub: string;
  /** Queries the provider when the token has no address. */
  readonly email: () => Promise<EmailClaim | undefined>;
}

export interface Examined {
  readonly ok: boolean;
  /** Completes a sentence about the provider; null if all is well. */
  readonly reason: string | null;
}

export interface Examination {
  readonly description: Examined;
  /** Null if the description does not say where they are. */
  readonly keys: Examined | null;
}

/** The reply does not prove an identity. The message holds nothing secret. */
export class NotProved extends Error {}

/** For all requests to the provider that one request of a browser causes. */
export const DEADLINE_MS = 5_000;
const DISCOVERY_MS_MAX = 5 * 60_000;
const DISCOVERED_MAX = 1_000;
const SCOPE = 'openid email profile';
/** OpenID Connect Core 1.0 section 2: ASCII of at most 255 characters. */
const SUB = /^[\x20-\x7e]{1,255}$/;
/** Any text that could be an address and can be looked up. */
const EMAIL = /^[^\p{Cc}\p{Cs}]{1,254}$/u;
const ENDPOINTS = ['authorization_endpoint', 'token_endpoint', 'jwks_uri'] as const;
/** Errors that mean that the provider itself fails (RFC 6749 section 4.1.2.1). */
const UNWELL = ['server_error', 'temporarily_unavailable'];

/** Loaded by `#configure`, which every use calls first: many servers have no single sign-on at all. */
let openid: typeof OpenidClient;

interface Discovered {
  readonly metadata: Promise<OpenidClient.ServerMetadata>;
  readonly until: number;
}

export class Providers {
  readonly #discovered = new BoundedMap<string, Discovered>(DISCOVERED_MAX);
  readonly #deadlineMs: number;

  constructor(deadlineMs = DEADLINE_MS) {
    this.#deadlineMs = deadlineMs;
  }

  /** Where to send the browser. */
  async authorizationAddress(registration: Registration, attempt: Attempt): Promise<string> {
    const configuration = await this.#configure(registration);
    const address = openid.buildAuthorizationUrl(configuration, {
      response_type: 'code',
      scope: SCOPE,
      redirect_uri: attempt.redirectUri,
      state: attempt.state,
      nonce: attempt.nonce,
      code_challenge: await openid.calculatePKCECodeChallenge(attempt.verifier),
      code_challenge_method: 'S256',
    });
    return address.href;
  }

  /** `answer`: the parameters with which the browser came back. */
  async identify(
    registration: Registration,
    attempt: Attempt,
    answer: Readonly<Record<string, string>>,
  ): Promise<Identity> {
    const configuration = await this.#configure(registration);
    const address = new URL(attempt.redirectUri);
    address.search = new URLSearchParams(answer).toString();
    try {
      const tokens = await openid.authorizationCodeGrant(configuration, address, {
        expectedState: attempt.state,
        expectedNonce: attempt.nonce,
        pkceCodeVerifier: attempt.verifier,
        idTokenExpected: true,
      });
      const claims = tokens.claims();
      if (claims === undefined || !SUB.test(claims.sub))
        throw new NotProved('the subject is not of the standard’s form');
      const { iss: issuer, sub } = claims;
      const email = async () =>
        emailIn(claims) ?? emailIn(await userInfo(configuration, tokens.access_token, sub).catch(explain));
      return { issuer, sub, email };
    } catch (error) {
      return explain(error);
    }
  }

  /**
   * Whether the provider can be used: its description and keys are read anew, within the same bounds as at sign-on. The
   * client's secret is not tried, because providers take it only with somebody's consent.
   */
  async examine({ issuer }: Pick<Registration, 'issuer'>): Promise<Examination> {
    openid ??= await import('openid-client');
    try {
      const { jwks_uri: place = '' } = await discover(issuer, this.#deadlineMs);
      return { description: FINE, keys: await examineKeys(place, this.#deadlineMs) };
    } catch (error) {
      return { description: { ok: false, reason: awayOf(error).message }, keys: null };
    }
  }

  /**
   * One for each use: a configuration caches the provider's keys for a minute even when it meets unknown ones. In that minute
   * a provider with changed keys would be locked out and a withdrawn key would still be accepted.
   */
  async #configure(registration: Registration): Promise<OpenidClient.Configuration> {
    openid ??= await import('openid-client');
    const { issuer, clientId, clientSecret } = registration;
    const metadata = await this.#discover(issuer);
    const authentication = authenticationOf(metadata, clientSecret);
    const configuration = new openid.Configuration(metadata, clientId, undefined, authentication);
    configuration[openid.customFetch] = boundedFetch(this.#deadlineMs);
    if (isLoopback(new URL(issuer))) openid.allowInsecureRequests(configuration);
    // Without it the client trusts the token endpoint and verifies no signature.
    openid.enableNonRepudiationChecks(configuration);
    return configuration;
  }

  /** Concurrent requests share one discovery; a failure is not cached. */
  #discover(issuer: string): Promise<OpenidClient.ServerMetadata> {
    const known = this.#discovered.get(issuer);
    if (known !== undefined && performance.now() < known.until) return known.metadata;
    const metadata = discover(issuer, this.#deadlineMs);
    const discovered = { metadata, until: performance.now() + DISCOVERY_MS_MAX };
    this.#discovered.set(issuer, discovered);
    metadata.catch(() => {
      if (this.#discovered.get(issuer) === discovered) this.#discovered.delete(issuer);
    });
    return metadata;
  }
}

const FINE: Examined = { ok: true, reason: null };

async function examineKeys(place: string, deadlineMs: number): Promise<Examined> {
  try {
    const request = { method: 'GET' as const, headers: { accept: 'application/json' }, redirect: 'manual' as const };
    const reply = await boundedFetch(deadlineMs)(place, { ...request, body: undefined });
    if (reply.status !== 200) return { ok: false, reason: `answers ${reply.status}` };
    const { keys } = Object(await reply.json().catch(() => undefined)) as { keys?: unknown };
    return Array.isArray(keys) && keys.length > 0 ? FINE : { ok: false, reason: 'has no keys that can be read' };
  } catch (error) {
    return { ok: false, reason: awayOf(error).message };
  }
}

function awayOf(error: unknown): ProviderAway {
  const away = awayIn(error);
  if (away === undefined) throw error;
  return away;
}

async function discover(issuer: string, deadlineMs: number): Promise<OpenidClient.ServerMetadata> {
  const address = new URL(issuer);
  try {
    const configuration = await openid.discovery(address, 'discovery', undefined, openid.None(), {
      [openid.customFetch]: boundedFetch(deadlineMs),
      execute: isLoopback(address) ? [openid.allowInsecureRequests] : [],
    });
    const metadata = configuration.serverMetadata();
    // The client allows multi-tenant providers to name another issuer, but anyone could be a tenant there.
    if (new URL(metadata.issuer).href !== address.href) throw new ProviderAway('describes itself as another issuer');
    for (const name of ENDPOINTS) {
      const endpoint = metadata[name] ?? '';
      if (!URL.canParse(endpoint) || !isConfidential(new URL(endpoint)))
        throw new ProviderAway(`has no ${name} that can be used`);
    }
    return metadata;
  } catch (error) {
    throw awayIn(error) ?? new ProviderAway(`has no description that can be read: ${(error as Error).message}`);
  }
}

/** OpenID Connect Discovery 1.0 section 3: a provider that lists no methods accepts Basic. */
function authenticationOf(
  metadata: OpenidClient.ServerMetadata,
  clientSecret: string | undefined,
): OpenidClient.ClientAuth {
  if (clientSecret === undefined) return openid.None();
  const methods = metadata.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
  return methods.includes('client_secret_basic')
    ? openid.ClientSecretBasic(clientSecret)
    : openid.ClientSecretPost(clientSecret);
}

async function userInfo(configuration: OpenidClient.Configuration, accessToken: string, sub: string) {
  if (configuration.serverMetadata().userinfo_endpoint === undefined) return {};
  return openid.fetchUserInfo(configuration, accessToken, sub);
}

function emailIn({ email, email_verified: verified }: Record<string, unknown>): EmailClaim | undefined {
  if (typeof email !== 'string' || !EMAIL.test(email)) return undefined;
  return { email, verified: verified === undefined ? undefined : verified === true };
}

function awayIn(error: unknown): ProviderAway | undefined {
  if (error instanceof ProviderAway) return error;
  return error instanceof Error && error.cause !== undefined ? awayIn(error.cause) : undefined;
}

/** The client's errors carry tokens and claims in their causes, so only their messages are passed on. */
function explain(error: unknown): never {
  const away = awayIn(error);
  if (away !== undefined) throw away;
  if (error instanceof NotProved) throw error;
  if (error instanceof openid.AuthorizationResponseError || error instanceof openid.ResponseBodyError) {
    const code = /^[a-z_]{1,64}$/.test(error.error) ? error.error : 'unknown';
    if (UNWELL.includes(code)) throw new ProviderAway(`says ${code}`);
    throw new NotProved(`the provider says ${code}`);
  }
  if (error instanceof openid.ClientError || (error instanceof TypeError && 'code' in error)) {
    const { cause } = error;
    throw new NotProved(cause instanceof Error ? `${error.message}: ${cause.message}` : error.message);
  }
  throw error;
}

/**
 * Why the text cannot be an issuer (OpenID Connect Discovery 1.0 section 3); undefined when it can. Plain http is only
 * for providers on the same machine, where no network can be listened to.
 */
export function issuerProblem(text: string): string | undefined {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return 'must be an http(s) address';
  const address = new URL(text);
  if (!isConfidential(address)) return 'must be an https address, unless it is on this machine';
  if (address.username !== '' || address.password !== '') return 'must not hold a user or a password';
  if (/[?#\s\p{Cc}]/u.test(text)) return 'must not hold a query, a fragment or spaces';
  // The client would read this as the address of the discovery document and skip the check of its issuer.
  if (address.pathname.includes('/.well-known/')) return 'must be the issuer, not the address of its description';
  return undefined;
}
