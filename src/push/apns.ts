// APNs: for phones of Apple. HTTP/2 on one connection that is kept, authorized by a token that is signed anew in time.

import { type ClientHttp2Session, connect, constants } from 'node:http2';
import { DELIVERY_MS_MAX, type Message } from '../domain/notifications.ts';
import { onAbort } from '../request/signal.ts';
import type { ApnsAccount } from './key-files.ts';
import { fit, PHONE_BYTES_MAX } from './payload.ts';
import { commonOutcome, type Outcome, problemOf, type Target, type Transport, unreachable } from './transport.ts';

/** Apple takes a token between 20 and 60 minutes of age, and complains when it is changed more often. */
const TOKEN_MS = 50 * 60_000;
const ANSWER_BYTES_MAX = 16 * 1024;
const GONE = new Set(['Unregistered', 'BadDeviceToken', 'ExpiredToken']);
const STALE_TOKEN = new Set(['ExpiredProviderToken', 'InvalidProviderToken']);

interface ApnsAnswer {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly reason: string;
}

export class Apns implements Transport {
  readonly #account: ApnsAccount;
  readonly #now: () => number;
  #session: ClientHttp2Session | undefined;
  /** When something last arrived on a connection. */
  readonly #heardAt = new WeakMap<ClientHttp2Session, number>();
  #token: { value: Promise<string>; madeAt: number } | undefined;

  constructor(account: ApnsAccount, now: () => number) {
    this.#account = account;
    this.#now = now;
  }

  serviceOf(): string {
    return 'APNs';
  }

  async send({ address }: Target, message: Message, signal: AbortSignal): Promise<Outcome> {
    const body = fit(message, payload, PHONE_BYTES_MAX);
    const headers = {
      ':method': 'POST',
      ':path': `/3/device/${address}`,
      'apns-topic': this.#account.topic,
      'apns-push-type': 'alert',
      'apns-priority': '10',
      'apns-expiration': String(Math.floor((message.createdAt + DELIVERY_MS_MAX) / 1_000)),
      'apns-id': message.notificationId,
    };
    try {
      for (let attempt = 1; ; attempt++) {
        const token = this.#providerToken();
        const authorized = { ...headers, authorization: `bearer ${await token.value}` };
        const answer = await this.#ask(authorized, body, signal);
        const stale = answer.status === 403 && STALE_TOKEN.has(answer.reason);
        if (!stale || attempt === 2) return outcomeOf(answer, this.#now());
        if (this.#token === token) this.#token = undefined;
      }
    } catch (error) {
      return unreachable(error);
    }
  }

  async close(): Promise<void> {
    this.#session?.destroy();
    this.#session = undefined;
  }

  #providerToken(): { value: Promise<string>; madeAt: number } {
    const now = this.#now();
    if (this.#token === undefined || this.#token.madeAt <= now - TOKEN_MS) {
      this.#token = { value: this.#sign(now), madeAt: now };
    }
    return this.#token;
  }

  async #sign(now: number): Promise<string> {
    const { key, keyId, teamId } = this.#account;
    // Few servers have such an account, and loading this takes a while.
    const { importPKCS8, SignJWT } = await import('jose');
    return new SignJWT()
      .setProtectedHeader({ alg: 'ES256', kid: keyId })
      .setIssuer(teamId)
      .setIssuedAt(Math.floor(now / 1_000))
      .sign(await importPKCS8(key, 'ES256'));
  }

  #connection(): ClientHttp2Session {
    const kept = this.#session;
    if (kept !== undefined && !kept.closed && !kept.destroyed) return kept;
    const session = connect(this.#account.origin);
    const forget = () => {
      if (this.#session === session) this.#session = undefined;
    };
    // What is under way on it goes on after GOAWAY; what comes next takes another.
    session.on('goaway', forget);
    session.on('close', forget);
    // Told to each of the requests as well.
    session.on('error', forget);
    session.unref();
    this.#session = session;
    return session;
  }

  async #ask(headers: Record<string, string>, body: string, signal: AbortSignal): Promise<ApnsAnswer> {
    signal.throwIfAborted();
    return new Promise((resolve, reject) => {
      const session = this.#connection();
      const askedAt = performance.now();
      const stream = session.request(headers);
      const unsubscribe = onAbort(signal, (reason) => {
        // A connection on which nothing arrives is of no use to the others either; else only this one is given up.
        if ((this.#heardAt.get(session) ?? 0) < askedAt) session.destroy(reason);
        else stream.close(constants.NGHTTP2_CANCEL);
        reject(reason);
      });
      let status = 0;
      let retryAfter: string | undefined;
      let text = '';
      stream.setEncoding('utf8');
      stream.on('response', (answer) => {
        this.#heardAt.set(session, performance.now());
        status = answer[':status'] ?? 0;
        retryAfter = answer['retry-after'];
      });
      stream.on('data', (chunk: string) => {
        if (text.length < ANSWER_BYTES_MAX) text += chunk;
      });
      stream.on('error', reject);
      stream.on('close', () => {
        unsubscribe();
        if (status === 0) reject(new Error('the connection was closed'));
        else resolve({ status, retryAfter, reason: reasonIn(text) });
      });
      stream.end(body);
    });
  }
}

/** What the phone gets. */
function payload({ title, body, url, sound, application, notificationId }: Message): string {
  const aps = { alert: { title, body }, ...(sound === undefined ? {} : { sound }) };
  return JSON.stringify({ aps, url, application, notificationId });
}

function reasonIn(text: string): string {
  try {
    return String((JSON.parse(text) as { reason?: unknown }).reason ?? '');
  } catch {
    return '';
  }
}

function outcomeOf({ status, retryAfter, reason }: ApnsAnswer, now: number): Outcome {
  const problem = problemOf(`answered ${status} ${reason}`);
  if (status === 410 || (status === 400 && GONE.has(reason))) return { kind: 'gone', problem };
  // Ours to mend, and then it is taken.
  if (status === 403 && STALE_TOKEN.has(reason)) return { kind: 'later', problem };
  return commonOutcome(status, retryAfter, now) ?? { kind: 'refused', problem };
}
