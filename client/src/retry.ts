// When a request is sent again, and how long to wait before: decided from what is known about its outcome.

import { CartularyError, ConnectionError } from './errors.ts';

export interface RetryLimits {
  /** How often a request is sent again. */
  readonly retries: number;
  /** The longest single wait. A server that asks for a longer one, as a used-up quota does, is not waited for. */
  readonly waitSecondsMax: number;
}

export const RETRY_LIMITS: RetryLimits = { retries: 4, waitSecondsMax: 60 };

/**
 * What may happen to a request that failed. `always`: doing it twice is the same as once. `refused`: only if the server
 * says that it did nothing. `never`: the caller decides.
 */
export type Repeatable = 'always' | 'refused' | 'never';

const FIRST_WAIT_MS = 100;
const LAST_WAIT_MS = 10_000;
/** At most so much is added to what the server asks for, so that clients that were refused together come back apart. */
const JITTER = 0.25;

/** The milliseconds after which to send the request again; undefined if the failure is the caller's to handle. */
export function waitBefore(attempt: number, error: unknown, repeatable: Repeatable, limits: RetryLimits) {
  if (attempt > limits.retries || !mayRepeat(error, repeatable)) return undefined;
  const seconds = error instanceof CartularyError ? error.retryAfterSeconds : undefined;
  if (seconds === undefined) return Math.random() * Math.min(LAST_WAIT_MS, FIRST_WAIT_MS * 2 ** attempt);
  if (seconds > limits.waitSecondsMax) return undefined;
  return (seconds + Math.max(seconds, 0.2) * JITTER * Math.random()) * 1000;
}

function mayRepeat(error: unknown, repeatable: Repeatable): boolean {
  if (repeatable === 'never') return false;
  if (error instanceof ConnectionError) return repeatable === 'always';
  if (!(error instanceof CartularyError)) return false;
  const { status, params } = error as { status: number; params: { reason?: string; recordIndex?: number } };
  // A part of the batch is done: only the rest may be sent again, which the caller of the batch does.
  if (params.recordIndex !== undefined) return false;
  // Wrong credentials do not become right by waiting.
  if (status === 429) return params.reason !== 'authentication';
  // The first attempt is still under way; its reply is stored when it is done.
  if (error.is('IDEMPOTENCY_KEY_IN_USE')) return true;
  if (status === 503 && (params.reason === 'busy' || params.reason === 'storage')) return true;
  return repeatable === 'always' && (status === 502 || status === 503 || status === 504);
}

/** Rejects with the signal's reason as soon as it is aborted. */
export function sleep(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const finish = () => {
      signal?.removeEventListener('abort', stop);
      resolve();
    };
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(finish, milliseconds);
    if (signal?.aborted) stop();
    else signal?.addEventListener('abort', stop, { once: true });
  });
}
