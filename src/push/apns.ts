// APNs, for Apple devices: HTTP/2 on one persistent connection, authorized by a signed token that is renewed before it expires.

import { type ClientHttp2Session, connect, constants } from 'node:http2';
import { DELIVERY_MS_MAX, type Message } from '../domain/notifications.ts';
import { onAbort } from '../request/signal.ts';
import type { ApnsAccount } from './key-files.ts';
import { fitMessage, PHONE_BYTES_MAX } from './payload.ts';
import {
  commonOutcome,
  type PushOutcome,
  problemOf,
  type Target,
  type Transport,
  unreachableOutcome,
} from './transport.ts';

/** Apple accepts a token for 60 minutes, and refuses tokens renewed more often than every 20 minutes. */
const TOKEN_MS = 50 * 60_000;
const REPLY_BYTES_MAX = 16 * 1024;
const GONE = new Set(['Unregistered', 'BadDeviceToken', 'ExpiredToken']);
const STALE_TOKEN = new Set(['ExpiredProviderToken', 'InvalidProviderToken']);

interface ApnsReply {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly reason: string;
}

export class Apns implements Transport {
  readonly #account: ApnsAccount;
  readonly #now: () => number;
  #session: ClientHttp2Session | undefined;
  /** When the last reply arrived on a connection. */
  readonly #lastReplyAt = new WeakMap<ClientHttp2Session, number>();
  #token: { value: Promise<string>; madeAt: number } | undefined;

  constructor(account: ApnsAccount, now: () => number) {
    this.#account = account;
    this.#now = now;
  }

  serviceOf(): string {
    return 'APNs';
  }

  async send({ address }: Target, message: Message, signal: AbortSignal): Promise<PushOutcome> {
    const body = fitMessage(message, payload, PHONE_BYTES_MAX);
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
        const reply = await this.#request(authorized, body, signal);
        const stale = reply.status === 403 && STALE_TOKEN.has(reply.reason);
        if (!stale || attempt === 2) return outcomeOf(reply, this.#now());
        if (this.#token === token) this.#token = undefined;
      }
    } catch (error) {
      return unreachableOutcome(error);
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
    // Loaded on demand: few servers have such an account, and the module is slow to load.
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
    // After GOAWAY, open streams continue on this connection and new requests open another one.
    session.on('goaway', forget);
    session.on('close', forget);
    // Each stream reports the error as well.
    session.on('error', forget);
    session.unref();
    this.#session = session;
    return session;
  }

  async #request(headers: Record<string, string>, body: string, signal: AbortSignal): Promise<ApnsReply> {
    signal.throwIfAborted();
    return new Promise((resolve, reject) => {
      const session = this.#connection();
      const sentAt = performance.now();
      const stream = session.request(headers);
      const unsubscribe = onAbort(signal, (reason) => {
        // Without any reply since the request was sent, the connection is taken for dead; otherwise only this stream is cancelled.
        if ((this.#lastReplyAt.get(session) ?? 0) < sentAt) session.destroy(reason);
        else stream.close(constants.NGHTTP2_CANCEL);
        reject(reason);
      });
      let status = 0;
      let retryAfter: string | undefined;
      let text = '';
      stream.setEncoding('utf8');
      stream.on('response', (headers) => {
        this.#lastReplyAt.set(session, performance.now());
        status = headers[':status'] ?? 0;
        retryAfter = headers['retry-after'];
      });
      stream.on('data', (chunk: string) => {
        if (text.length < REPLY_BYTES_MAX) text += chunk;
      });
      stream.on('error', reject);
      stream.on('close', () => {
        unsubscribe();
        if (status === 0) reject(new Error('the connection was closed'));
        else resolve({ status, retryAfter, reason: reasonOf(text) });
      });
      stream.end(body);
    });
  }
}

function payload({ title, body, url, sound, application, notificationId }: Message): string {
  const aps = { alert: { title, body }, ...(sound === undefined ? {} : { sound }) };
  return JSON.stringify({ aps, url, application, notificationId });
}

function reasonOf(text: string): string {
  try {
    return String((JSON.parse(text) as { reason?: unknown }).reason ?? '');
  } catch {
    return '';
  }
}

function outcomeOf({ status, retryAfter, reason }: ApnsReply, now: number): PushOutcome {
  const problem = problemOf(`answered ${status} ${reason}`);
  if (status === 410 || (status === 400 && GONE.has(reason))) return { kind: 'gone', problem };
  // The operator can correct the key; the message is retried until then.
  if (status === 403 && STALE_TOKEN.has(reason)) return { kind: 'later', problem };
  return commonOutcome(status, retryAfter, now) ?? { kind: 'refused', problem };
}
