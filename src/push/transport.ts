// The interface of the push transports, and the outcomes of sending a message.

import type { Message } from '../domain/notifications.ts';
import { onAbort } from '../request/signal.ts';
import type { TransportName } from '../wire/notifications.ts';

export interface Target {
  readonly transport: TransportName;
  /** The push service's address of a browser, or the token of a phone. */
  readonly address: string;
  /** The encryption keys of a browser, as JSON. */
  readonly keys: string | null;
}

export type PushOutcome =
  | { readonly kind: 'delivered' }
  /** The device no longer exists. */
  | { readonly kind: 'gone'; readonly problem: string }
  /** Retrying is pointless. */
  | { readonly kind: 'refused'; readonly problem: string }
  /** To be retried; `afterMs` is the least delay that the service asks for. */
  | { readonly kind: 'later'; readonly problem: string; readonly afterMs?: number };

export interface Transport {
  /** The service that receives the message: health is tracked for each, so that a failing one does not delay the others. */
  serviceOf(target: Target): string;
  /** Settles soon after the signal is aborted. */
  send(target: Target, message: Message, signal: AbortSignal): Promise<PushOutcome>;
  close(): Promise<void>;
}

/** For one message, including authorization. */
export const SEND_TIMEOUT_MS = 10_000;
const PROBLEM_LENGTH_MAX = 300;

/** A service's error message, shortened to one line. */
export const problemOf = (text: string): string =>
  text
    .replace(/[\p{Cc}\p{Cs}\s]+/gu, ' ')
    .trim()
    .slice(0, PROBLEM_LENGTH_MAX);

export const unreachableOutcome = (error: unknown): PushOutcome => {
  const { name, code, message } = error as NodeJS.ErrnoException;
  const timedOut = name === 'AbortError' || name === 'TimeoutError';
  const problem = timedOut
    ? `no answer within ${SEND_TIMEOUT_MS / 1_000} s`
    : problemOf(`no answer: ${code ?? message}`);
  return { kind: 'later', problem };
};

/** Rejects when the signal is aborted before the promise settles. */
export function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    const unsubscribe = onAbort(signal, reject);
    promise.then(resolve, reject).finally(unsubscribe);
  });
}

const RETRY_AFTER_MS_MAX = 6 * 60 * 60_000;

/** `Retry-After` in its two forms (RFC 9110 section 10.2.3). */
export function retryAfterMs(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  const ms = /^\d{1,9}$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - now;
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), RETRY_AFTER_MS_MAX);
}

/** For statuses that mean the same for all services; undefined for the others. */
export function commonOutcome(status: number, retryAfter: string | undefined, now: number): PushOutcome | undefined {
  if (status >= 200 && status < 300) return { kind: 'delivered' };
  if (status !== 408 && status !== 429 && status < 500) return undefined;
  const afterMs = retryAfterMs(retryAfter, now);
  return { kind: 'later', problem: `answered ${status}`, ...(afterMs === undefined ? {} : { afterMs }) };
}
