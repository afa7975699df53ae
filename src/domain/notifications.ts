// The rules of notifications: valid messages, valid devices, and when a delivery is retried.

import { createECDH } from 'node:crypto';
import type { NewDevice, NotificationRequest, TransportName } from '../wire/notifications.ts';

const SECOND_MS = 1_000;
const HOUR_MS = 60 * 60_000;

/** An older message is no longer delivered. */
export const DELIVERY_MS_MAX = 24 * HOUR_MS;
/** More than the retries of a day; bounds the attempts of a message that crashes the server each time. */
export const ATTEMPTS_MAX = 60;
export const DEVICES_MAX = 20;

/** Push services accept about 4,000 bytes, and the URL is the only part that cannot be shortened. */
export const URL_BYTES_MAX = 3_072;

/** The message that all transports send. */
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
  // Counted as it is sent, in JSON.
  if (Buffer.byteLength(JSON.stringify(url)) - 2 > URL_BYTES_MAX) {
    return { property: 'url', reason: `must have at most ${URL_BYTES_MAX} bytes` };
  }
  return undefined;
}

const P256_POINT_BYTES = 65;
const AUTH_BYTES = 16;

/** Strict base64url: decoders ignore characters that browsers never write. */
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

/** The first rule that a device of the right shape breaks. The transport checks whether its push service is trusted. */
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

/** A device's address, with the encryption keys of a browser. */
export function deliveryAddress(device: NewDevice): { transport: TransportName; address: string; keys: string | null } {
  if (device.transport === 'webPush') {
    const { endpoint, keys } = device.subscription;
    const { p256dh, auth } = keys;
    return { transport: 'webPush', address: endpoint, keys: JSON.stringify({ p256dh, auth }) };
  }
  // Tokens of APNs are hexadecimal and case-insensitive.
  const address = device.transport === 'apns' ? device.token.toLowerCase() : device.token;
  return { transport: device.transport, address, keys: null };
}

/** While the service accepts other messages, this many attempts are a second apart: almost all chance failures end there. */
const QUICK_ATTEMPTS = 15;

export interface Retry {
  /** Including the one that has just failed. */
  readonly attempts: number;
  /** Whether the service has accepted nothing for a while. */
  readonly serviceFailing: boolean;
  /** Random, from 0 to 1. */
  readonly chance: number;
}

/** The delay before the next attempt: doubles up to an hour, with jitter that spreads deliveries that failed together. */
export function retryDelayMs({ attempts, serviceFailing, chance }: Retry): number {
  const doublings = serviceFailing ? attempts - 1 : Math.max(0, attempts - QUICK_ATTEMPTS);
  const delay = Math.min(HOUR_MS, SECOND_MS * 2 ** Math.min(doublings, 20));
  return Math.round(delay * (0.75 + chance / 2));
}
