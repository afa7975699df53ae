// The table of our own figures in /metrics: name, type, help, and how each is read. docs/monitoring.md lists their names
// and help. No label holds a value that a client sent: routes are those of the route table.

import type { EventCounts } from './event-counts.ts';
import type { CountedValue, Tally } from './tally.ts';

/** The state of the server's parts when metrics are requested. */
export interface Readings {
  readonly version: string;
  readonly requests: { readonly underWay: number; readonly admitted: number; readonly waiting: number };
  readonly transfers: { readonly in: number; readonly out: number };
  readonly connections: number;
  readonly unreadBytes: number;
  readonly bodyBytes: number;
  readonly longRecords: { readonly bytes: number; readonly waiting: number };
  readonly pool: {
    readonly idle: number;
    readonly checkedOut: number;
    readonly connecting: number;
    readonly waiting: number;
    readonly lanes: number;
    readonly laneStatements: number;
  };
  /** Undefined while the database is unavailable. */
  readonly database: DatabaseReadings | undefined;
  /** Those of a cluster. */
  readonly workers: readonly { readonly address: string; readonly reachable: boolean }[];
  /** Undefined if none are configured. */
  readonly replicas:
    | {
        readonly states: readonly {
          readonly replica: string;
          readonly isUp: boolean;
          readonly lagSeconds: number | undefined;
          readonly lagBytes: number | undefined;
        }[];
        readonly reads: Readonly<Record<string, number>>;
      }
    | undefined;
  /** Whether the database is the embedded one. */
  readonly embedded: boolean;
  readonly tasks: Readonly<Record<string, number>>;
  readonly caches: Readonly<Record<string, { readonly hits: number; readonly misses: number }>>;
  readonly hearingAgeMs: number;
}

export interface DatabaseReadings {
  readonly version: string;
  /** Seconds since 1970. */
  readonly startedAt: number;
  /** Undefined if not all nodes of a cluster have told theirs. */
  readonly bytes: number | undefined;
  readonly connections: number;
  readonly connectionsMax: number;
  readonly committed: number;
  readonly rolledBack: number;
  readonly deadlocks: number;
  readonly notificationQueues: number;
}

/** How the figures of several processes are combined; those of the database are the same in all processes. */
type Aggregator = 'sum' | 'max' | 'min' | 'first';

export interface Figure {
  readonly name: string;
  readonly help: string;
  /** `counter`, `gauge`, `histogram`. */
  readonly type: string;
  /** An `Aggregator`, or for the library's own figures another one that the library has. */
  readonly aggregator: string;
  readonly values: readonly CountedValue[];
}

interface Row extends Omit<Figure, 'values'> {
  readonly read: (readings: Readings, counts: EventCounts, name: string) => readonly CountedValue[];
}

type Read = (readings: Readings, counts: EventCounts) => number | undefined;

const one = (read: Read): Row['read'] => {
  return (readings, counts) => {
    const value = read(readings, counts);
    return value === undefined ? [] : [{ labels: {}, value }];
  };
};

const by = (label: string, entries: Readonly<Record<string, number>>): CountedValue[] =>
  Object.entries(entries).map(([name, value]) => ({ labels: { [label]: name }, value }));

const gauge = (name: string, help: string, read: Row['read'], aggregator: Aggregator = 'sum'): Row => ({
  ...{ name, help, type: 'gauge', aggregator, read },
});

const counter = (name: string, help: string, read: Row['read'], aggregator: Aggregator = 'sum'): Row => ({
  ...{ name, help, type: 'counter', aggregator, read },
});

type ReplicaState = NonNullable<Readings['replicas']>['states'][number];

const byReplica =
  (read: (state: ReplicaState) => number | undefined): Row['read'] =>
  ({ replicas }) =>
    (replicas?.states ?? []).flatMap((state) => {
      const value = read(state);
      return value === undefined ? [] : [{ labels: { replica: state.replica }, value }];
    });

type TallyName = { [Name in keyof EventCounts]: EventCounts[Name] extends Tally ? Name : never }[keyof EventCounts];

const tallied =
  (name: TallyName): Row['read'] =>
  (_, counts) =>
    counts[name].values();

const REQUESTS: readonly Row[] = [
  {
    name: 'cartulary_request_duration_seconds',
    help: 'Time from a request’s headers to the end of its reply, by method, route and status.',
    type: 'histogram',
    aggregator: 'sum',
    read: (_, counts, name) => counts.durations.values(name),
  },
  gauge(
    'cartulary_requests_in_flight',
    'Requests without a complete reply.',
    one(({ requests }) => requests.underWay),
  ),
  gauge(
    'cartulary_requests_admitted',
    'Requests that hold an admission slot.',
    one(({ requests }) => requests.admitted),
  ),
  gauge(
    'cartulary_requests_waiting',
    'Requests that wait for an admission slot.',
    one(({ requests }) => requests.waiting),
  ),
  counter(
    'cartulary_requests_refused_total',
    'Requests answered with TOO_MANY_REQUESTS or UNAVAILABLE, by code and reason.',
    tallied('refused'),
  ),
  gauge('cartulary_transfers', 'File transfers in progress, by direction: in or out.', ({ transfers }) =>
    by('direction', transfers),
  ),
  counter('cartulary_transfer_bytes_total', 'Bytes of files and exports, by direction and route.', tallied('bytes')),
  gauge(
    'cartulary_connections',
    'Open client connections.',
    one(({ connections }) => connections),
  ),
  counter(
    'cartulary_connections_dropped_total',
    'Client connections that were closed at once because there were too many.',
    one((_, counts) => counts.connectionsDropped),
  ),
  gauge(
    'cartulary_unread_answer_bytes',
    'Bytes of replies that clients have not read yet, beyond what the system keeps for them.',
    one(({ unreadBytes }) => unreadBytes),
  ),
  gauge(
    'cartulary_body_bytes',
    'Memory of JSON bodies that arrived after their headers and are not being handled yet.',
    one(({ bodyBytes }) => bodyBytes),
  ),
  gauge(
    'cartulary_long_record_bytes',
    'Bytes that requests hold of the memory for long records, until their replies have gone out.',
    one(({ longRecords }) => longRecords.bytes),
  ),
  gauge(
    'cartulary_long_record_requests_waiting',
    'Requests that wait for memory for long records.',
    one(({ longRecords }) => longRecords.waiting),
  ),
  counter(
    'cartulary_quota_requests_total',
    'Requests that were counted against a quota, by group of operations; without a limit they are not counted.',
    tallied('counted'),
  ),
  counter(
    'cartulary_quota_refused_total',
    'Requests refused because a quota was used up, by group.',
    tallied('overQuota'),
  ),
  counter(
    'cartulary_quota_leases_total',
    'Parts of quotas that were taken from the database, by group.',
    tallied('leases'),
  ),
];

const DATABASE: readonly Row[] = [
  gauge(
    'cartulary_database_up',
    'Whether the database responded when the metrics were read.',
    one(({ database }) => (database === undefined ? 0 : 1)),
    'min',
  ),
  gauge(
    'cartulary_database_info',
    'The version of PostgreSQL, and whether it is the embedded one.',
    ({ database, embedded }) =>
      database === undefined ? [] : [{ labels: { version: database.version, embedded: String(embedded) }, value: 1 }],
    'first',
  ),
  gauge(
    'cartulary_database_worker_up',
    'Whether the coordinator of a Citus cluster reached the worker within the last seconds. Absent on plain PostgreSQL.',
    ({ workers }) =>
      workers.map(({ address, reachable }) => ({ labels: { worker: address }, value: Number(reachable) })),
    'min',
  ),
  gauge(
    'cartulary_replica_up',
    'Whether the replica responded within the last seconds and is a standby. Absent without replicas.',
    byReplica(({ isUp }) => Number(isUp)),
    'min',
  ),
  gauge(
    'cartulary_replica_lag_seconds',
    'How old the state is that the replica shows; up to 0.2 more than its lag.',
    byReplica(({ lagSeconds }) => lagSeconds),
    'max',
  ),
  gauge(
    'cartulary_replica_lag_bytes',
    'Bytes of the write-ahead log that the replica has not replayed.',
    byReplica(({ lagBytes }) => lagBytes),
    'max',
  ),
  counter(
    'cartulary_replica_reads_total',
    'Requests that a replica might serve, by outcome: served, or why the primary did.',
    ({ replicas }) => (replicas === undefined ? [] : by('outcome', replicas.reads)),
  ),
  gauge(
    'cartulary_database_pool_connections',
    'Connections of the server to the database, by state: idle, lent, connecting, or lane for those that reads share.',
    ({ pool }) =>
      by('state', { idle: pool.idle, lent: pool.checkedOut, connecting: pool.connecting, lane: pool.lanes }),
  ),
  gauge(
    'cartulary_database_pool_waiting',
    'Statements and transactions that wait for a connection.',
    one(({ pool }) => pool.waiting),
  ),
  gauge(
    'cartulary_database_lane_statements',
    'Reads under way on the shared connections.',
    one(({ pool }) => pool.laneStatements),
  ),
  counter(
    'cartulary_database_statements_total',
    'Statements run for requests of the interface, without those for authentication.',
    one((_, counts) => counts.statements),
  ),
  counter(
    'cartulary_database_statement_seconds_total',
    'Time that requests have waited for statements, including the wait for a connection.',
    one((_, counts) => counts.databaseSeconds),
  ),
  counter(
    'cartulary_database_connections_lost_total',
    'Connections to the database that broke.',
    one((_, counts) => counts.connectionsLost),
  ),
  gauge(
    'cartulary_database_start_time_seconds',
    'Start time of PostgreSQL, in seconds since 1970; it changes when the embedded PostgreSQL is restarted after a crash.',
    one(({ database }) => database?.startedAt),
    'max',
  ),
  gauge(
    'cartulary_database_size_bytes',
    'Size of the database on disk; on a Citus cluster of all nodes together.',
    one(({ database }) => database?.bytes),
    'max',
  ),
  gauge(
    'cartulary_database_connections',
    'Connections to the database from all servers and other clients.',
    one(({ database }) => database?.connections),
    'max',
  ),
  gauge(
    'cartulary_database_connections_max',
    'Connections that the database allows.',
    one(({ database }) => database?.connectionsMax),
    'max',
  ),
  counter(
    'cartulary_database_transactions_total',
    'Transactions of the database, by outcome.',
    ({ database }) =>
      database === undefined ? [] : by('outcome', { committed: database.committed, rolledBack: database.rolledBack }),
    'max',
  ),
  counter(
    'cartulary_database_deadlocks_total',
    'Deadlocks that the database has resolved.',
    one(({ database }) => database?.deadlocks),
    'max',
  ),
];

/** Only the primary process knows this number; it adds a figure of its own (cli/workers). */
const WORKERS_LOST = counter(
  'cartulary_workers_lost_total',
  'Workers that ended unexpectedly.',
  one(() => 0),
);

const WORK: readonly Row[] = [
  counter('cartulary_job_runs_total', 'Runs of scheduled jobs, by name.', tallied('jobRuns')),
  counter('cartulary_job_failures_total', 'Failures of jobs, or of a part of a job, by name.', tallied('jobFailures')),
  counter('cartulary_job_seconds_total', 'Time that jobs have taken, by name.', tallied('jobSeconds')),
  gauge(
    'cartulary_job_last_success_timestamp_seconds',
    'When a job last ended without a failure, by name, in seconds since 1970.',
    tallied('jobSuccesses'),
    'max',
  ),
  gauge('cartulary_tasks_waiting', 'Background tasks that wait for their turn, by kind.', ({ tasks }) =>
    by('kind', tasks),
  ),
  counter('cartulary_task_failures_total', 'Background tasks that failed, by task.', tallied('taskFailures')),
  gauge(
    'cartulary_notification_queues',
    'Applications that have notifications to deliver, or had a moment ago.',
    one(({ database }) => database?.notificationQueues),
    'max',
  ),
  counter(
    'cartulary_notifications_total',
    'Attempts to deliver a notification to a device, by outcome.',
    tallied('notifications'),
  ),
  gauge(
    'cartulary_hearing_age_seconds',
    'Time since the server last received messages from the other nodes; above 0.8 its caches are not used.',
    one(({ hearingAgeMs }) => hearingAgeMs / 1000),
    'max',
  ),
  counter('cartulary_cache_lookups_total', 'Lookups in caches, by cache and result: hit or miss.', ({ caches }) =>
    Object.entries(caches).flatMap(([cache, { hits, misses }]) => [
      { labels: { cache, result: 'hit' }, value: hits },
      { labels: { cache, result: 'miss' }, value: misses },
    ]),
  ),
  WORKERS_LOST,
  gauge(
    'cartulary_build_info',
    'The version of Cartulary, and of Node.',
    ({ version }) => [{ labels: { version, node: process.version }, value: 1 }],
    'first',
  ),
];

/** The figure of the primary process. */
export function workersLost(value: number): Figure {
  const { read, ...row } = WORKERS_LOST;
  return { ...row, values: [{ labels: {}, value }] };
}

export function figuresOf(readings: Readings, counts: EventCounts): Figure[] {
  return [...REQUESTS, ...DATABASE, ...WORK].map(({ read, ...row }) => ({
    ...row,
    values: read(readings, counts, row.name),
  }));
}
