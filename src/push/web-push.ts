// Web Push: RFC 8030 (the request), RFC 8291 (encryption for the browser), RFC 8292 (VAPID, which identifies the sender).

import { generateKeyPairSync } from 'node:crypto';
import { DELIVERY_MS_MAX, type Message } from '../domain/notifications.ts';
import { BoundedMap } from '../load/bounded-map.ts';
import { fitMessage, WEB_PUSH_BYTES_MAX } from './payload.ts';
import { Poster } from './post.ts';
import type { PushServices } from './push-services.ts';
import {
  commonOutcome,
  type PushOutcome,
  problemOf,
  type Target,
  type Transport,
  unreachableOutcome,
} from './transport.ts';

/** Both in base64url: the point has 65 bytes, the private number 32. */
export interface VapidKeys {
  readonly publicKey: string;
  readonly privateKey: string;
}

export function makeVapidKeys(): VapidKeys {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x = '', y = '', d = '' } = privateKey.export({ format: 'jwk' });
  const point = Buffer.concat([UNCOMPRESSED, Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]);
  return { publicKey: point.toString('base64url'), privateKey: d };
}

/** The first byte of an uncompressed point (RFC 8291 section 3.1, SEC 1 section 2.3.3). */
const UNCOMPRESSED = Buffer.of(4);

type Library = typeof import('web-push');

let loaded: Promise<Library> | undefined;

/** Loaded with the first notification: many servers never send one. */
const library = () => (loaded ??= import('web-push').then((module) => module.default));

/** Signatures are valid for twelve hours and reused for one, which tolerates clocks that differ. */
const SIGNATURE_MS = 60 * 60_000;
const SIGNATURES_MAX = 1_000;

export interface WebPushOptions {
  readonly services: PushServices;
  readonly keys: () => VapidKeys;
  /** `mailto:` or `https:`; a push service contacts the operator here. */
  readonly subject: string;
  readonly now: () => number;
}

export class WebPush implements Transport {
  readonly #options: WebPushOptions;
  readonly #poster = new Poster();
  /** By the service's origin: signing costs more than encrypting. */
  readonly #signatures = new BoundedMap<string, { header: string; until: number }>(SIGNATURES_MAX);

  constructor(options: WebPushOptions) {
    this.#options = options;
  }

  serviceOf({ address }: Target): string {
    return this.#options.services.trusted(address)?.service ?? '';
  }

  async send({ address, keys }: Target, message: Message, signal: AbortSignal): Promise<PushOutcome> {
    const { services, now } = this.#options;
    // Checked again: the service may have been removed from the list since the device was registered.
    const url = services.trusted(address)?.url;
    if (url === undefined || keys === null)
      return { kind: 'refused', problem: 'the push service is not a trusted one' };
    const subscription = { endpoint: address, keys: JSON.parse(keys) as { p256dh: string; auth: string } };
    const ttl = Math.max(0, Math.ceil((message.createdAt + DELIVERY_MS_MAX - now()) / 1_000));
    const webPush = await library();
    const { headers, body } = webPush.generateRequestDetails(
      subscription,
      fitMessage(message, payload, WEB_PUSH_BYTES_MAX),
      {
        contentEncoding: 'aes128gcm',
        TTL: ttl,
        urgency: 'high',
      },
    );
    try {
      const signed = {
        ...(headers as Record<string, string>),
        Authorization: this.#authorization(webPush, url.origin),
      };
      const reply = await this.#poster.post(url, { headers: signed, body: body as Buffer, signal });
      return outcomeOf(reply, now());
    } catch (error) {
      return unreachableOutcome(error);
    }
  }

  async close(): Promise<void> {
    this.#poster.close();
  }

  #authorization(webPush: Library, audience: string): string {
    const { keys, subject, now } = this.#options;
    const known = this.#signatures.get(audience);
    if (known !== undefined && known.until > now()) return known.header;
    const { publicKey, privateKey } = keys();
    const header = webPush.getVapidHeaders(audience, subject, publicKey, privateKey, 'aes128gcm').Authorization;
    this.#signatures.set(audience, { header, until: now() + SIGNATURE_MS });
    return header;
  }
}

/** Received by the page's service worker. */
export function payload(message: Message): string {
  const { title, body, url, sound, application, notificationId } = message;
  return JSON.stringify({ title, body, url, sound, application, notificationId });
}

function outcomeOf(
  { status, retryAfter, text }: { status: number; retryAfter: string | undefined; text: string },
  now: number,
): PushOutcome {
  const problem = problemOf(`answered ${status} ${text}`);
  if (status === 404 || status === 410) return { kind: 'gone', problem };
  return commonOutcome(status, retryAfter, now) ?? { kind: 'refused', problem };
}
