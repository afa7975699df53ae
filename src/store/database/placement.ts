// Which connections serve which application of a cluster. What waits for one worker must not hold what the applications of the
// others need, so the connections for each worker are separate (store/cluster/worker-connections).

import type { Connections } from './connections.ts';
import { ConnectionFailure, unavailable } from './database-errors.ts';

/** The connections for the applications on one worker. */
export interface ConnectionGroup {
  /** For statements on tables of one application alone. */
  readonly own: Connections;
  /** For what has to be done on the coordinator: advisory locks, notifications, changes of tables, and the system schema. */
  readonly coordinated: Connections;
  /** The worker is known to be unreachable. */
  readonly isAway: boolean;
}

export interface Placement {
  /** Undefined if it is not known yet. */
  groupOf(schema: string): ConnectionGroup | undefined;
  /** Asks the coordinator. */
  locate(schema: string): Promise<ConnectionGroup>;
  /** Whether its worker is known to be away. Does not remember of a schema that it lies on none: it may be created next. */
  isAway(schema: string): Promise<boolean>;
  /** All of them, without those of the system schema. */
  readonly connections: readonly Connections[];
  close(): Promise<void>;
}

class WorkerAway extends ConnectionFailure {}

const workerAway = () => unavailable(new WorkerAway('the worker of the application is away'));

/** Rejects as `withPlaced` does while the worker of the schema is away. */
export async function refuseAway(placement: Placement, schema: string): Promise<void> {
  if (await placement.isAway(schema)) throw workerAway();
}

/** Runs `work` with the connections for the schema. */
export function withPlaced<T>(
  placement: Placement,
  { schema, which }: { readonly schema: string; readonly which: 'own' | 'coordinated' },
  work: (connections: Connections) => Promise<T>,
): Promise<T> {
  const go = (group: ConnectionGroup): Promise<T> => (group.isAway ? Promise.reject(workerAway()) : work(group[which]));
  const group = placement.groupOf(schema);
  return group === undefined ? placement.locate(schema).then(go) : go(group);
}

/** How the connections to a coordinator are divided. */
export interface Division {
  readonly system: number;
  /** How many groups of connections the workers share; 0: they use those of the system schema. */
  readonly groups: number;
  readonly each: number;
}

const SYSTEM_PART = 1 / 4;
/** A lane and two others. */
const EACH_MIN = 3;
const SYSTEM_MIN = 2;

/** With many workers and few connections, several workers share a group. */
export function divideConnections(connectionsMax: number, workers: number): Division {
  const system = Math.max(SYSTEM_MIN, Math.floor(connectionsMax * SYSTEM_PART));
  const left = connectionsMax - system;
  const groups = Math.min(workers, Math.floor(left / EACH_MIN));
  return groups < 1
    ? { system: connectionsMax, groups: 0, each: 0 }
    : { system, groups, each: Math.floor(left / groups) };
}
