// Every figure of /metrics that is ours, as one table: name, kind, what it says, and where it is read. Names and help are
// what docs/monitoring.md lists. No label ever holds what a client has sent: routes are those of the tables.

import type { EventCounts } from './event-counts.ts';
import type { Tally, Value } from './tally.ts';

/** What the parts say when somebody asks. */
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
  readonly database: DatabaseReadings | undefined;
  /** Whether it is the one that comes along. */
  readonly embedded: boolean;
  readonly tasks: Readonly<Record<string, number>>;
  readonly caches: Readonly<Record<string, { readonly hits: number; readonly misses: number }>>;
  readonly hearingAgeMs: number;
}

/** Undefined while the database is away. */
export interface DatabaseReadings {
  readonly version: string;
  /** Seconds since 1970. */
  readonly startedAt: number;
  readonly bytes: number;
  readonly connections: number;
  readonly connectionsMax: number;
  readonly committed: number;
  readonly rolledBack: number;
  readonly deadlocks: number;
  readonly notificationQueues: number;
}

/** How the figures of several processes become one; the database's are the same for all of them. */
type Aggregator = 'sum' | 'max' | 'min' | 'first';

export interface Figure {
  readonly name: string;
  readonly help: string;
  /** `counter`, `gauge`, `histogram`. */
  readonly type: string;
  /** One of those that the library has. */
  readonly aggregator: string;
  readonly values: readonly Value[];
}

interface Row extends Omit<Figure, 'values'> {
  readonly read: (readings: Readings, counts: EventCounts, name: string) => readonly Value[];
}

type Read = (readings: Readings, counts: EventCounts) => number | undefined;

const one = (read: Read): Row['read'] => {
  return (readings, counts) => {
    const value = read(readings, counts);
    return value === undefined ? [] : [{ labels: {}, value }];
  };
};

const by = (label: string, entries: Readonly<Record<string, number>>): Value[] =>
  Object.entries(entries).map(([name, value]) => ({ labels: { [label]: name }, value }));

const gauge = (name: string, help: string, read: Row['read'], aggregator: Aggregator = 'sum'): Row => ({
  ...{ name, help, type: 'gauge', aggregator, read },
});

const counter = (name: string, help: string, read: Row['read'], aggregator: Aggregator = 'sum'): Row => ({
  ...{ name, help, type: 'counter', aggregator, read },
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
    'Requests that are not answered yet.',
    one(({ requests }) => requests.underWay),
  ),
  gauge(
    'cartulary_requests_admitted',
    'Requests that are being worked on.',
    one(({ requests }) => requests.admitted),
  ),
  gauge(
    'cartulary_requests_waiting',
    'Requests that wait to be worked on.',
    one(({ requests }) => requests.waiting),
  ),
  counter(
    'cartulary_requests_refused_total',
    'Requests answered with TOO_MANY_REQUESTS or UNAVAILABLE, by code and reason.',
    tallied('refused'),
  ),
  gauge('cartulary_transfers', 'Files on their way, by direction: in or out.', ({ transfers }) =>
    by('direction', transfers),
  ),
  counter('cartulary_transfer_bytes_total', 'Bytes of files and exports, by direction and route.', tallied('bytes')),
  gauge(
    'cartulary_connections',
    'Connections of clients that are open.',
    one(({ connections }) => connections),
  ),
  counter(
    'cartulary_connections_dropped_total',
    'Connections of clients that were closed at once because there were too many.',
    one((_, counts) => counts.connectionsDropped),
  ),
  gauge(
    'cartulary_unread_answer_bytes',
    'Bytes of replies that clients have not read yet, beyond what the system keeps for them.',
    one(({ unreadBytes }) => unreadBytes),
  ),
  gauge(
    'cartulary_body_bytes',
    'Memory of bodies of JSON that did not come with their headers and are not worked on yet.',
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
    'Requests that were counted against a quota, by group of operations; where there is no limit none are.',
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
    'Whether the database answered when this was asked.',
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
    'Statements run for requests of the interface, those that find out who asks not included.',
    one((_, counts) => counts.statements),
  ),
  counter(
    'cartulary_database_statement_seconds_total',
    'Time that requests have waited for statements, the wait for a connection included.',
    one((_, counts) => counts.databaseSeconds),
  ),
  counter(
    'cartulary_database_connections_lost_total',
    'Connections to the database that broke.',
    one((_, counts) => counts.connectionsLost),
  ),
  gauge(
    'cartulary_database_start_time_seconds',
    'When PostgreSQL was started, in seconds since 1970; it changes when the embedded one had died and runs again.',
    one(({ database }) => database?.startedAt),
    'max',
  ),
  gauge(
    'cartulary_database_size_bytes',
    'Size of the database on its disk.',
    one(({ database }) => database?.bytes),
    'max',
  ),
  gauge(
    'cartulary_database_connections',
    'Connections that the database has, of all servers and others.',
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

/** Known to the process that starts them alone, which adds its own (cli/workers). */
const WORKERS_LOST = counter(
  'cartulary_workers_lost_total',
  'Workers that have ended and should not have.',
  one(() => 0),
);

const WORK: readonly Row[] = [
  counter('cartulary_job_runs_total', 'Runs of what a server does by the clock, by name.', tallied('jobRuns')),
  counter(
    'cartulary_job_failures_total',
    'Failures of these jobs, or of a part of one, by name.',
    tallied('jobFailures'),
  ),
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
    'How long ago the server last knew that it hears the others; beyond 0.8 its caches are not used.',
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

/** What that process adds. */
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
