// Waits for a server that is away or busy, as long as that makes sense: an import takes minutes, and a restart seconds.

import { CartularyError, ConnectionError } from '../../../client/src/errors.ts';
import { sleep } from '../../../client/src/retry.ts';

const FIRST_WAIT_MS = 250;
const WAIT_MS_MAX = 5_000;

export interface Patience {
  withRetries<Result>(work: () => Promise<Result>): Promise<Result>;
}

export type WaitReason = 'away' | 'busy';

/** `msMax`: how long a server may be away. `waiting` hears why a request is sent again. */
export function makePatience(msMax: number, waiting: (reason: WaitReason) => void, signal?: AbortSignal): Patience {
  let lastSuccess = performance.now();
  return {
    async withRetries(work) {
      for (let attempt = 0; ; attempt += 1) {
        try {
          const result = await work();
          lastSuccess = performance.now();
          return result;
        } catch (error) {
          if (!mayPass(error)) {
            // The server is there, whatever it says.
            lastSuccess = performance.now();
            throw error;
          }
          const waitMs = waitBefore(error, attempt);
          if (performance.now() + waitMs - lastSuccess > msMax) throw error;
          waiting(error instanceof ConnectionError ? 'away' : 'busy');
          await sleep(waitMs, signal);
        }
      }
    },
  };
}

function mayPass(error: unknown): boolean {
  if (error instanceof ConnectionError) return true;
  if (!(error instanceof CartularyError)) return false;
  const { status, code } = error;
  return status === 429 || status === 502 || status === 503 || status === 504 || code === 'IDEMPOTENCY_KEY_IN_USE';
}

function waitBefore(error: unknown, attempt: number): number {
  const seconds = error instanceof CartularyError ? error.retryAfterSeconds : undefined;
  return seconds === undefined ? Math.min(WAIT_MS_MAX, FIRST_WAIT_MS * 2 ** attempt) : seconds * 1000;
}
