// Liveness and readiness, for load balancers and supervisors.

import { fault } from '../faults.ts';
import type { Observe } from '../observe/events.ts';
import { withTimeout } from '../request/timeout.ts';
import { type Reply, replyText } from './replies/reply.ts';
import type { Sending } from './send.ts';

export interface Health {
  /** Whether requests can be served: the database answers and is migrated. */
  readonly ready: () => Promise<boolean>;
  /** Whether the server was asked to end: it still serves, and is to be sent nothing more. */
  readonly stopping: () => boolean;
}

/**
 * What machines ask by the clock is counted, and neither traced nor told of but to who debugs: not even that a server is not
 * ready, which they act upon. Whoever may not ask is told of as everywhere.
 */
export function asRoutine<Means extends Pick<Sending, 'observe' | 'traces'>>(means: Means): Means {
  const observe: Observe = (observation) => {
    if (observation.event === 'request.refused') return;
    const isRoutine = observation.event === 'request' && (observation.status < 400 || observation.status >= 500);
    means.observe(isRoutine ? { ...observation, routine: true } : observation);
  };
  return { ...means, observe, traces: undefined };
}

const READY_MS = 2_000;
/** Anybody may ask, as often as they like: whoever asks within that time gets the same answer. */
const SHARED_MS = 250;

export const alive = (): Reply => replyText('{"status":"ok"}');

export function readiness(health: Health): () => Promise<Reply> {
  const isReady = shared(() =>
    withTimeout(
      READY_MS,
      health.ready().catch(() => false),
    ),
  );
  return async () => {
    if (health.stopping()) throw fault('UNAVAILABLE', { reason: 'stopping' }, { 'retry-after': '1' });
    if (await isReady()) return replyText('{"status":"ready"}');
    throw fault('UNAVAILABLE', { reason: 'database' }, { 'retry-after': '1' });
  };
}

/** One look at a time, and what it has shown for a while. */
function shared<T>(look: () => Promise<T>): () => Promise<T> {
  let last: Promise<T> | undefined;
  let until = 0;
  return () => {
    if (last !== undefined && performance.now() < until) return last;
    until = Number.POSITIVE_INFINITY;
    last = look().finally(() => {
      until = performance.now() + SHARED_MS;
    });
    return last;
  };
}
