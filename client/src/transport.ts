// Sends requests with `fetch`: address, credentials, repeating, and replies other than success as errors. Knows no operation.

import { CartularyError, ConnectionError } from './errors.ts';
import type { Bytes, Reply } from './operation-types.ts';
import { noteQuota, type Quota } from './quotas.ts';
import { RETRY_LIMITS, type Repeatable, type RetryLimits, sleep, waitBefore } from './retry.ts';

export interface ConnectionOptions extends Partial<RetryLimits> {
  /** The server: `https://records.example.com`, with or without `/v1`. */
  readonly url: string;
  /** The ID of the application. */
  readonly application: string;
  /** An API token, `<TOKEN_ID>.<SECRET>`. */
  readonly token?: string | undefined;
  /** A user's ID and password instead of a token. */
  readonly basic?: { readonly userId: string; readonly password: string } | undefined;
  /** Instead of the global `fetch`. */
  readonly fetch?: typeof fetch | undefined;
}

/** A request below the application's address. */
export interface Outgoing {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Bytes | undefined;
  readonly reply: 'json' | 'none' | 'stream';
  readonly repeatable: Repeatable;
  readonly signal?: AbortSignal | undefined;
}

/** Where `fetch` streams a body, it has to be told that the reply may come first. */
interface StreamingInit extends RequestInit {
  readonly duplex?: 'half';
}

const SESSION_COOKIE = /^cartulary_session=([^;]*)/;

export class Transport {
  /** `…/v1/{applicationId}` */
  readonly address: string;
  readonly #limits: RetryLimits;
  readonly #fetch: typeof fetch;
  readonly #authorization: string | undefined;
  /** Outside of browsers, which keep the cookie to themselves. */
  #cookie: string | undefined;
  readonly quotas = new Map<string, Quota>();

  constructor(options: ConnectionOptions) {
    const { url, application, token, basic } = options;
    if (token !== undefined && basic !== undefined) throw new TypeError('Give either a token or a password, not both.');
    this.address = `${baseAddress(url)}/${encodeURIComponent(application)}`;
    this.#limits = {
      retries: options.retries ?? RETRY_LIMITS.retries,
      waitSecondsMax: options.waitSecondsMax ?? RETRY_LIMITS.waitSecondsMax,
    };
    // Bound late: the global may be replaced, as tests and tracing do.
    this.#fetch = options.fetch ?? ((input, init) => fetch(input, init));
    if (token !== undefined) this.#authorization = `Bearer ${token}`;
    if (basic !== undefined) this.#authorization = `Basic ${base64(`${basic.userId}:${basic.password}`)}`;
  }

  /** The reply to a request that succeeded. Anything else is thrown, after trying again where that is safe. */
  async send(request: Outgoing): Promise<Reply<unknown>> {
    const { signal } = request;
    const repeatable = request.body instanceof ReadableStream ? 'never' : request.repeatable;
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#attempt(request);
      } catch (error) {
        if (signal?.aborted) throw signal.reason;
        if (error instanceof CartularyError || error instanceof ConnectionError) error.attempts = attempt;
        const wait = waitBefore(attempt, error, repeatable, this.#limits);
        if (wait === undefined) throw error;
        await sleep(wait, signal);
      }
    }
  }

  async #attempt({ method, path, headers, body, reply, signal }: Outgoing): Promise<Reply<unknown>> {
    const init: StreamingInit = {
      method,
      headers: new Headers({ ...headers, ...this.#credentials() }),
      credentials: this.#authorization === undefined ? 'same-origin' : 'omit',
      // Credentials are for this address alone.
      redirect: 'manual',
      ...(signal === undefined ? {} : { signal }),
      ...(body === undefined ? {} : { body: body as NonNullable<RequestInit['body']> }),
      ...(body instanceof ReadableStream ? { duplex: 'half' } : {}),
    };
    const response = await this.#connected(() => this.#fetch(this.address + path, init));
    this.#note(response.headers);
    if (!response.ok && response.status !== 304) throw await this.#refusal(response);
    const { status, headers: received } = response;
    if (reply === 'stream') return { status, headers: received, body: response };
    const text = await this.#connected(() => response.text());
    return { status, headers: received, body: text === '' ? undefined : this.#parse(text) };
  }

  #credentials(): Record<string, string> {
    if (this.#authorization !== undefined) return { authorization: this.#authorization };
    if (this.#cookie === undefined) return {};
    // With a cookie the server wants to know which page sends the request; browsers tell by themselves.
    return { cookie: `cartulary_session=${this.#cookie}`, origin: new URL(this.address).origin };
  }

  #note(headers: Headers): void {
    noteQuota(this.quotas, headers);
    if (this.#authorization !== undefined) return;
    for (const line of headers.getSetCookie?.() ?? []) {
      const value = SESSION_COOKIE.exec(line)?.[1];
      if (value !== undefined) this.#cookie = value === '' ? undefined : value;
    }
  }

  async #connected<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      const why = error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);
      throw new ConnectionError(`No whole reply from ${new URL(this.address).origin}: ${why}`, { cause: error });
    }
  }

  #parse(text: string): unknown {
    try {
      return JSON.parse(text);
    } catch (error) {
      throw new Error(`${this.address} replied with something other than JSON. Is it a Cartulary server?`, {
        cause: error,
      });
    }
  }

  async #refusal(response: Response): Promise<Error> {
    const { status, headers } = response;
    // Status 0: a browser shows nothing of a redirect.
    if (status === 0 || (status >= 300 && status < 400)) {
      const where = headers.get('location') ?? 'another address';
      return new Error(`${this.address} redirects to ${where}. Credentials are sent nowhere else: give that address.`);
    }
    const text = await this.#connected(() => response.text());
    const seconds = Number(headers.get('retry-after') ?? Number.NaN);
    return new CartularyError({
      status,
      ...problemIn(text, status),
      requestId: headers.get('x-request-id') ?? undefined,
      retryAfterSeconds: Number.isFinite(seconds) ? seconds : undefined,
    });
  }
}

/** A reply that is not the server's own, such as a proxy's, has its status as code. */
function problemIn(text: string, status: number): { code: string; params: Readonly<Record<string, unknown>> } {
  try {
    const { code, params = {} } = JSON.parse(text) as { code?: unknown; params?: Record<string, unknown> };
    if (typeof code === 'string') return { code, params };
  } catch {
    // Not JSON: the status says what is known.
  }
  return { code: String(status), params: {} };
}

function baseAddress(url: string): string {
  let parsed: URL;
  try {
    parsed = new URL(url);
  } catch {
    throw new TypeError(`"${url}" is not an address. Give one such as https://records.example.com.`);
  }
  if (!/^https?:$/.test(parsed.protocol)) throw new TypeError(`"${url}" does not begin with https:// or http://.`);
  const path = parsed.pathname.replace(/\/+$/, '');
  return `${parsed.origin}${/\/v1$/.test(path) ? path : `${path}/v1`}`;
}

/** Of the text's UTF-8. */
export function base64(text: string): string {
  let binary = '';
  for (const byte of new TextEncoder().encode(text)) binary += String.fromCharCode(byte);
  return btoa(binary);
}
