// Liveness and readiness, for load balancers and supervisors.

import { fault } from '../faults.ts';
import type { Observe } from '../observe.ts';
import { within } from '../within.ts';
import { type Answer, answerText } from './answer.ts';
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
export function routinely<Means extends Pick<Sending, 'observe' | 'traces'>>(means: Means): Means {
  const observe: Observe = (observation) => {
    if (observation.event === 'request.refused') return;
    const isRoutine = observation.event === 'request' && (observation.status < 400 || observation.status >= 500);
    means.observe(isRoutine ? { ...observation, routine: true } : observation);
  };
  return { ...means, observe, traces: undefined };
}

const READY_MS = 2_000;

export const alive = (): Answer => answerText('{"status":"ok"}');

export async function ready(health: Health): Promise<Answer> {
  if (health.stopping()) throw fault('UNAVAILABLE', { reason: 'stopping' }, { 'retry-after': '1' });
  if (
    await within(
      READY_MS,
      health.ready().catch(() => false),
    )
  )
    return answerText('{"status":"ready"}');
  throw fault('UNAVAILABLE', { reason: 'database' }, { 'retry-after': '1' });
}
