// Whether the server can be reached, as failed requests tell it, and the moment in which it is back.

import { CartularyError, ConnectionError } from '../../../client/src/errors.ts';

export type Away = 'offline' | 'busy';

/** Undefined for problems that waiting does not solve. */
export function awayOf(error: unknown): Away | undefined {
  if (error instanceof ConnectionError) return 'offline';
  return error instanceof CartularyError && [502, 503, 504].includes(error.status) ? 'busy' : undefined;
}

const awayListeners = new Set<(away: Away) => void>();
const backListeners = new Set<() => void>();

/** Of a request that is not in the cache of queries, which is watched by itself. */
export function noteFailure(error: unknown): void {
  const away = awayOf(error);
  if (away !== undefined) for (const listener of awayListeners) listener(away);
}

export function noteBack(): void {
  for (const listener of backListeners) listener();
}

export function onAway(listener: (away: Away) => void): () => void {
  awayListeners.add(listener);
  return () => awayListeners.delete(listener);
}

/** What a form said about a server that is away is no longer true once it is back. */
export function untilBack(error: unknown, isBack: () => void): void {
  if (awayOf(error) === undefined) return;
  const stop = onBack(() => {
    stop();
    isBack();
  });
  noteFailure(error);
}

/** Tells when requests that failed are worth another try. */
export function onBack(listener: () => void): () => void {
  backListeners.add(listener);
  return () => backListeners.delete(listener);
}
