// Rules of notifications: what may be said, what a device must be, and when a delivery is tried again.

import { createECDH } from 'node:crypto';
import type { NewDevice, NotificationRequest, TransportName } from '../wire/notifications.ts';

const SECOND_MS = 1_000;
const HOUR_MS = 60 * 60_000;

/** Behind it nobody wants to read the message any more. */
export const DELIVERY_MS_MAX = 24 * HOUR_MS;
/** More than a day's retries ever need; stops a message that crashes the server on each attempt. */
export const ATTEMPTS_MAX = 60;
export const DEVICES_MAX = 20;

/** Of what a push service carries, about 4,000 bytes, the URL may fill so many: it is the one part that cannot be cut. */
export const URL_BYTES_MAX = 3_072;

/** What goes out, whatever carries it. */
export interface Message {
  readonly notificationId: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly application: { readonly id: string; readonly name: string };
  readonly title: string;
  readonly body: string;
  readonly url?: string;
  readonly sound?: 'default';
}

export interface MemberProblem {
  readonly property: string;
  readonly reason: string;
}

const CONTROL = /[^\P{Cc}\n\t]|\p{Cs}/u;

/** The first rule that a notification of the right shape breaks. */
export function notificationProblem(request: NotificationRequest): MemberProblem | undefined {
  for (const property of ['title', 'body', 'url'] as const) {
    const text = request[property];
    if (text === undefined) continue;
    if (CONTROL.test(text)) return { property, reason: 'must not contain control characters' };
    if (text.trim() === '') return { property, reason: 'must not be blank' };
  }
  const { url } = request;
  if (url === undefined) return undefined;
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url))
    return { property: 'url', reason: 'must be an http(s) address' };
  // As it travels, in JSON.
  if (Buffer.byteLength(JSON.stringify(url)) - 2 > URL_BYTES_MAX) {
    return { property: 'url', reason: `must have at most ${URL_BYTES_MAX} bytes` };
  }
  return undefined;
}

const P256_POINT_BYTES = 65;
const AUTH_BYTES = 16;

/** Base64url as browsers write it, without anything that decoders pass over. */
function decoded(text: string, bytes: number): Buffer | undefined {
  const buffer = Buffer.from(text, 'base64url');
  return buffer.length === bytes && buffer.toString('base64url') === text.replace(/=+$/, '') ? buffer : undefined;
}

function isPointOnP256(text: string): boolean {
  const point = decoded(text, P256_POINT_BYTES);
  if (point?.[0] !== 4) return false;
  const curve = createECDH('prime256v1');
  curve.generateKeys();
  try {
    curve.computeSecret(point);
    return true;
  } catch {
    return false;
  }
}

const TOKENS: Readonly<Record<'fcm' | 'apns', RegExp>> = {
  fcm: /^[\w:.-]{20,}$/,
  apns: /^(?:[0-9a-fA-F]{2}){32,100}$/,
};

/** The first rule that a device of the right shape breaks. Which push services are trusted is for the transport to say. */
export function deviceProblem(device: NewDevice): MemberProblem | undefined {
  if (device.name !== undefined && /\p{Cc}|\p{Cs}/u.test(device.name)) {
    return { property: 'name', reason: 'must not contain control characters' };
  }
  if (device.transport !== 'webPush') {
    return TOKENS[device.transport].test(device.token)
      ? undefined
      : { property: 'token', reason: `must be a token of ${device.transport === 'fcm' ? 'FCM' : 'APNs'}` };
  }
  const { p256dh, auth } = device.subscription.keys;
  if (!isPointOnP256(p256dh)) {
    return { property: 'subscription.keys.p256dh', reason: 'must be a point on P-256 of 65 bytes in base64url' };
  }
  if (decoded(auth, AUTH_BYTES) === undefined) {
    return { property: 'subscription.keys.auth', reason: 'must be 16 bytes in base64url' };
  }
  return undefined;
}

/** Where a device is reached, and what is needed besides. */
export function placeOf(device: NewDevice): { transport: TransportName; address: string; keys: string | null } {
  if (device.transport === 'webPush') {
    const { endpoint, keys } = device.subscription;
    const { p256dh, auth } = keys;
    return { transport: 'webPush', address: endpoint, keys: JSON.stringify({ p256dh, auth }) };
  }
  // Letters of both cases name the same phone.
  const address = device.transport === 'apns' ? device.token.toLowerCase() : device.token;
  return { transport: device.transport, address, keys: null };
}

/** While the service takes others, so many attempts are a second apart: of what fails by chance little is left then. */
const QUICK_ATTEMPTS = 15;

export interface Retry {
  /** Of which the last has just failed. */
  readonly attempts: number;
  /** Whether the service has taken nothing for a while. */
  readonly serviceFailing: boolean;
  /** From 0 to 1. */
  readonly chance: number;
}

/** How long to wait for the next attempt: doubling up to an hour, with a jitter that spreads what failed together. */
export function retryDelayMs({ attempts, serviceFailing, chance }: Retry): number {
  const doublings = serviceFailing ? attempts - 1 : Math.max(0, attempts - QUICK_ATTEMPTS);
  const delay = Math.min(HOUR_MS, SECOND_MS * 2 ** Math.min(doublings, 20));
  return Math.round(delay * (0.75 + chance / 2));
}
