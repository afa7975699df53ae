// FCM HTTP v1, for Android and other apps that use Firebase. Authorized by a service account (RFC 7523).

import { DELIVERY_MS_MAX, type Message } from '../domain/notifications.ts';
import type { FcmAccount } from './key-files.ts';
import { fitMessage, PHONE_BYTES_MAX } from './payload.ts';
import { Poster } from './post.ts';
import {
  commonOutcome,
  type PushOutcome,
  problemOf,
  SEND_TIMEOUT_MS,
  type Target,
  type Transport,
  unreachableOutcome,
  untilAborted,
} from './transport.ts';

const SCOPE = 'https://www.googleapis.com/auth/firebase.messaging';
const ASSERTION_SECONDS = 3_600;
/** A token is renewed this long before it expires. */
const RENEWAL_MARGIN_MS = 60_000;
/** The device's token and the structure around the message, which count towards the size. */
const ENVELOPE_BYTES = 256;

interface AccessToken {
  readonly value: string;
  readonly until: number;
}

class NoToken extends Error {}

export class Fcm implements Transport {
  readonly #account: FcmAccount;
  readonly #now: () => number;
  readonly #poster = new Poster();
  /** Shared by all messages: only one token is requested at a time. */
  #token: Promise<AccessToken> | undefined;
  /** When the token must be renewed; infinite while it is being requested. */
  #until = 0;

  constructor(account: FcmAccount, now: () => number) {
    this.#account = account;
    this.#now = now;
  }

  serviceOf(): string {
    return 'FCM';
  }

  async send({ address }: Target, message: Message, signal: AbortSignal): Promise<PushOutcome> {
    const { origin, projectId } = this.#account;
    const url = new URL(`${origin}/v1/projects/${projectId}/messages:send`);
    const body = fitMessage(message, (fitted) => this.#body(address, fitted), PHONE_BYTES_MAX + ENVELOPE_BYTES);
    try {
      for (let attempt = 1; ; attempt++) {
        const pending = this.#accessToken();
        const { value } = await untilAborted(pending, signal);
        const headers = { authorization: `Bearer ${value}`, 'content-type': 'application/json' };
        const reply = await this.#poster.post(url, { headers, body, signal });
        // The token was revoked before it expired.
        if (reply.status === 401) this.#forget(pending);
        if (reply.status !== 401 || attempt === 2) return outcomeOf(reply, this.#now());
      }
    } catch (error) {
      if (error instanceof NoToken) return { kind: 'later', problem: problemOf(error.message) };
      return unreachableOutcome(error);
    }
  }

  async close(): Promise<void> {
    this.#poster.close();
  }

  #body(token: string, { title, body, url, sound, application, notificationId, createdAt }: Message): string {
    const seconds = Math.max(0, Math.ceil((createdAt + DELIVERY_MS_MAX - this.#now()) / 1_000));
    return JSON.stringify({
      message: {
        token,
        notification: { title, body },
        data: {
          notificationId,
          applicationId: application.id,
          applicationName: application.name,
          ...(url === undefined ? {} : { url }),
        },
        android: {
          priority: 'HIGH',
          ttl: `${seconds}s`,
          ...(sound === undefined ? {} : { notification: { sound } }),
        },
      },
    });
  }

  #accessToken(): Promise<AccessToken> {
    if (this.#token === undefined || this.#until <= this.#now()) {
      const pending = this.#fetchToken();
      this.#token = pending;
      this.#until = Number.POSITIVE_INFINITY;
      pending.then(
        ({ until }) => {
          if (this.#token === pending) this.#until = until;
        },
        () => this.#forget(pending),
      );
    }
    return this.#token;
  }

  /** Does nothing if the token has been replaced already. */
  #forget(pending: Promise<AccessToken>): void {
    if (this.#token === pending) this.#token = undefined;
  }

  async #fetchToken(): Promise<AccessToken> {
    const { clientEmail, privateKey, tokenUri } = this.#account;
    const issuedAt = Math.floor(this.#now() / 1_000);
    // Loaded on demand: few servers have such an account, and the module is slow to load.
    const { importPKCS8, SignJWT } = await import('jose');
    const assertion = await new SignJWT({ scope: SCOPE })
      .setProtectedHeader({ alg: 'RS256', typ: 'JWT' })
      .setIssuer(clientEmail)
      .setAudience(tokenUri)
      .setIssuedAt(issuedAt)
      .setExpirationTime(issuedAt + ASSERTION_SECONDS)
      .sign(await importPKCS8(privateKey, 'RS256'));
    const form = new URLSearchParams({ grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion });
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    // Not the signal of one message: all waiting messages share the request.
    const signal = AbortSignal.timeout(SEND_TIMEOUT_MS);
    const { status, text } = await this.#poster.post(new URL(tokenUri), { headers, body: form.toString(), signal });
    const reply = parsed(text) as { access_token?: unknown; expires_in?: unknown };
    if (status !== 200 || typeof reply.access_token !== 'string') {
      throw new NoToken(`no access token: answered ${status} ${text}`);
    }
    const seconds = Number(reply.expires_in);
    const lifeMs = Math.max((Number.isFinite(seconds) ? seconds : ASSERTION_SECONDS) * 1_000, 2 * RENEWAL_MARGIN_MS);
    return { value: reply.access_token, until: this.#now() + lifeMs - RENEWAL_MARGIN_MS };
  }
}

interface FcmError {
  readonly error?: {
    readonly message?: string;
    readonly details?: readonly {
      readonly errorCode?: string;
      readonly fieldViolations?: readonly { readonly field?: string }[];
    }[];
  };
}

function outcomeOf(
  { status, retryAfter, text }: { status: number; retryAfter: string | undefined; text: string },
  now: number,
): PushOutcome {
  // The operator can correct the account; the message is retried until then.
  if (status === 401) return { kind: 'later', problem: problemOf(`answered ${status} ${text}`) };
  const common = commonOutcome(status, retryAfter, now);
  if (common !== undefined) return common;
  const problem = problemOf(`answered ${status} ${text}`);
  const { error } = parsed(text) as FcmError;
  const details: NonNullable<FcmError['error']>['details'] = Array.isArray(error?.details) ? error.details : [];
  const unregistered = details.some(({ errorCode }) => errorCode === 'UNREGISTERED');
  // INVALID_ARGUMENT may also concern the message; the device is gone only if the error names its token.
  const aboutToken =
    details.some(({ fieldViolations }) => fieldViolations?.some(({ field }) => field === 'message.token')) ||
    /registration token/i.test(String(error?.message));
  const gone = unregistered || (status === 400 && aboutToken);
  return { kind: gone ? 'gone' : 'refused', problem };
}

function parsed(text: string): object {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}
