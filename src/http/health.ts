// Liveness and readiness, for load balancers and supervisors.

import type { Observe } from '../events/events.ts';
import { fault } from '../faults.ts';
import { withTimeout } from '../request/timeout.ts';
import { type Reply, replyText } from './replies/reply.ts';
import type { Sending } from './send.ts';

export interface Health {
  /** Whether requests can be served: the database is reachable and migrated. */
  readonly ready: () => Promise<boolean>;
  /** Whether the server is being stopped: it still serves, but load balancers should send no more requests. */
  readonly stopping: () => boolean;
  /** The workers of a cluster, as last probed; undefined on plain PostgreSQL. */
  readonly workers: () => readonly { readonly reachable: boolean }[] | undefined;
  /** Undefined if none are configured. Without them the server is ready: the primary serves all. */
  readonly replicas: () => readonly { readonly isUp: boolean }[] | undefined;
}

/**
 * Probes and scrapes come by the clock: they are counted but not traced, and logged at debug level only. That includes "not
 * ready", which the prober acts upon. Requests without permission are logged as everywhere.
 */
export function asRoutine<S extends Pick<Sending, 'observe' | 'traces'>>(sending: S): S {
  const observe: Observe = (observation) => {
    if (observation.event === 'request.refused') return;
    const isRoutine = observation.event === 'request' && (observation.status < 400 || observation.status >= 500);
    sending.observe(isRoutine ? { ...observation, routine: true } : observation);
  };
  return { ...sending, observe, traces: undefined };
}

const READY_MS = 2_000;
/** Probes need no credentials and have no limit: all within this time share one result. */
const SHARED_MS = 250;

/** Which version and build it is, too: after an upgrade, of each server behind a proxy. */
export function alive({ version, build }: { readonly version: string; readonly build: string }): () => Reply {
  const reply = replyText(JSON.stringify({ status: 'ok', version, build }));
  return () => reply;
}

export function readiness(health: Health): () => Promise<Reply> {
  const isReady = shared(() =>
    withTimeout(
      READY_MS,
      health.ready().catch(() => false),
    ),
  );
  return async () => {
    if (health.stopping()) throw fault('UNAVAILABLE', { reason: 'stopping' }, { 'retry-after': '1' });
    if ((await isReady()) && !isWithoutWorkers(health)) return replyText(JSON.stringify(readyBody(health)));
    throw fault('UNAVAILABLE', { reason: 'database' }, { 'retry-after': '1' });
  };
}

/** Counts only: probes need no credentials. */
function readyBody(health: Health): object {
  const workers = health.workers();
  const replicas = health.replicas();
  return {
    status: 'ready',
    ...(workers && { workers: workers.length, workersAway: countAway(workers) }),
    ...(replicas && { replicas: replicas.length, replicasAway: replicas.filter(({ isUp }) => !isUp).length }),
  };
}

/** While one of them is reachable, its applications are served. */
function isWithoutWorkers(health: Health): boolean {
  const workers = health.workers() ?? [];
  return workers.length > 0 && countAway(workers) === workers.length;
}

const countAway = (workers: readonly { readonly reachable: boolean }[]): number =>
  workers.filter(({ reachable }) => !reachable).length;

/** One check at a time; its result is reused for a while. */
function shared<T>(check: () => Promise<T>): () => Promise<T> {
  let last: Promise<T> | undefined;
  let until = 0;
  return () => {
    if (last !== undefined && performance.now() < until) return last;
    until = Number.POSITIVE_INFINITY;
    last = check().finally(() => {
      until = performance.now() + SHARED_MS;
    });
    return last;
  };
}
