// FCM HTTP v1: for phones with Android, and what else uses Firebase. Authorized by a service account (RFC 7523).

import { DELIVERY_MS_MAX, type Message } from '../domain/notifications.ts';
import type { FcmAccount } from './key-files.ts';
import { fit, PHONE_BYTES_MAX } from './payload.ts';
import { Poster } from './post.ts';
import {
  commonOutcome,
  type Outcome,
  problemOf,
  SEND_MS_MAX,
  type Target,
  type Transport,
  unreachable,
  untilAborted,
} from './transport.ts';

const SCOPE = 'https://www.googleapis.com/auth/firebase.messaging';
const ASSERTION_SECONDS = 3_600;
/** A token is renewed so long before it ends. */
const MARGIN_MS = 60_000;
/** The token of the device and what is around the message; both count. */
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
  /** One is asked for at a time, whoever needs it. */
  #token: Promise<AccessToken> | undefined;
  /** When the token has to be renewed; not while it is being asked for. */
  #until = 0;

  constructor(account: FcmAccount, now: () => number) {
    this.#account = account;
    this.#now = now;
  }

  serviceOf(): string {
    return 'FCM';
  }

  async send({ address }: Target, message: Message, signal: AbortSignal): Promise<Outcome> {
    const { origin, projectId } = this.#account;
    const url = new URL(`${origin}/v1/projects/${projectId}/messages:send`);
    const body = fit(message, (fitted) => this.#body(address, fitted), PHONE_BYTES_MAX + ENVELOPE_BYTES);
    try {
      for (let attempt = 1; ; attempt++) {
        const asked = this.#accessToken();
        const { value } = await untilAborted(asked, signal);
        const headers = { authorization: `Bearer ${value}`, 'content-type': 'application/json' };
        const answer = await this.#poster.post(url, { headers, body, signal });
        // The token was withdrawn before its time.
        if (answer.status === 401) this.#forget(asked);
        if (answer.status !== 401 || attempt === 2) return outcomeOf(answer, this.#now());
      }
    } catch (error) {
      if (error instanceof NoToken) return { kind: 'later', problem: problemOf(error.message) };
      return unreachable(error);
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

  /** The one that is there, or another when its time is over. */
  #accessToken(): Promise<AccessToken> {
    if (this.#token === undefined || this.#until <= this.#now()) {
      const asked = this.#askForToken();
      this.#token = asked;
      this.#until = Number.POSITIVE_INFINITY;
      asked.then(
        ({ until }) => {
          if (this.#token === asked) this.#until = until;
        },
        () => this.#forget(asked),
      );
    }
    return this.#token;
  }

  /** Unless another has taken its place. */
  #forget(asked: Promise<AccessToken>): void {
    if (this.#token === asked) this.#token = undefined;
  }

  async #askForToken(): Promise<AccessToken> {
    const { clientEmail, privateKey, tokenUri } = this.#account;
    const issuedAt = Math.floor(this.#now() / 1_000);
    // Few servers have such an account, and loading this takes a while.
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
    // For all who wait for it, whoever of them gives up.
    const signal = AbortSignal.timeout(SEND_MS_MAX);
    const { status, text } = await this.#poster.post(new URL(tokenUri), { headers, body: form.toString(), signal });
    const answer = parsed(text) as { access_token?: unknown; expires_in?: unknown };
    if (status !== 200 || typeof answer.access_token !== 'string') {
      throw new NoToken(`no access token: answered ${status} ${text}`);
    }
    const seconds = Number(answer.expires_in);
    const lifeMs = Math.max((Number.isFinite(seconds) ? seconds : ASSERTION_SECONDS) * 1_000, 2 * MARGIN_MS);
    return { value: answer.access_token, until: this.#now() + lifeMs - MARGIN_MS };
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
): Outcome {
  // Ours to mend, and then it is taken.
  if (status === 401) return { kind: 'later', problem: problemOf(`answered ${status} ${text}`) };
  const common = commonOutcome(status, retryAfter, now);
  if (common !== undefined) return common;
  const problem = problemOf(`answered ${status} ${text}`);
  const { error } = parsed(text) as FcmError;
  const details: NonNullable<FcmError['error']>['details'] = Array.isArray(error?.details) ? error.details : [];
  const unregistered = details.some(({ errorCode }) => errorCode === 'UNREGISTERED');
  // INVALID_ARGUMENT means the message too; the device is to blame only where its token is named.
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
