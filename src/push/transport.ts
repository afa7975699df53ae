// What every transport does, and what can become of a message.

import type { Message } from '../domain/notifications.ts';
import { onAbort } from '../request/signal.ts';
import type { TransportName } from '../wire/notifications.ts';

export interface Target {
  readonly transport: TransportName;
  /** The push service's address of a browser, or the token of a phone. */
  readonly address: string;
  /** Of a browser, as JSON. */
  readonly keys: string | null;
}

export type Outcome =
  | { readonly kind: 'delivered' }
  /** There is no such device any more. */
  | { readonly kind: 'gone'; readonly problem: string }
  /** It will not be taken, however often it is tried. */
  | { readonly kind: 'refused'; readonly problem: string }
  /** `afterMs`: not before that has passed, says the service. */
  | { readonly kind: 'later'; readonly problem: string; readonly afterMs?: number };

export interface Transport {
  /** Whom the message goes to, so that one service that fails does not hold up the others. */
  serviceOf(target: Target): string;
  /** Whatever it takes, it ends with the signal. */
  send(target: Target, message: Message, signal: AbortSignal): Promise<Outcome>;
  close(): Promise<void>;
}

/** How long one message may take, with everything that belongs to it. */
export const SEND_MS_MAX = 10_000;
const PROBLEM_LENGTH_MAX = 300;

/** What is kept of a service's complaint: short, in one line. */
export const problemOf = (text: string): string =>
  text
    .replace(/[\p{Cc}\p{Cs}\s]+/gu, ' ')
    .trim()
    .slice(0, PROBLEM_LENGTH_MAX);

export const unreachable = (error: unknown): Outcome => {
  const { name, code, message } = error as NodeJS.ErrnoException;
  const late = name === 'AbortError' || name === 'TimeoutError';
  const problem = late ? `no answer within ${SEND_MS_MAX / 1_000} s` : problemOf(`no answer: ${code ?? message}`);
  return { kind: 'later', problem };
};

/** The promise's result, unless the signal comes first. */
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

/** Of the statuses that mean the same everywhere: taken, too busy, broken. Undefined for the others. */
export function commonOutcome(status: number, retryAfter: string | undefined, now: number): Outcome | undefined {
  if (status >= 200 && status < 300) return { kind: 'delivered' };
  if (status !== 408 && status !== 429 && status < 500) return undefined;
  const afterMs = retryAfterMs(retryAfter, now);
  return { kind: 'later', problem: `answered ${status}`, ...(afterMs === undefined ? {} : { afterMs }) };
}
