// The figures that the charts show, from one reading of the metrics to the next. They are kept while this tab is open.

import type { Metric, Reading } from './metrics.ts';

/** Of a moment; rates are over the time since the moment before. */
export interface Sample {
  readonly at: number;
  readonly requests: number | undefined;
  readonly clientErrors: number | undefined;
  readonly serverErrors: number | undefined;
  /** In milliseconds, of the requests since the moment before; undefined without any. */
  readonly median: number | undefined;
  readonly slow: number | undefined;
  readonly inFlight: number | undefined;
  readonly waiting: number | undefined;
  readonly connections: number | undefined;
  readonly lent: number | undefined;
  readonly idle: number | undefined;
  readonly poolWaiting: number | undefined;
  readonly tasks: number | undefined;
  readonly databaseBytes: number | undefined;
  readonly memory: number | undefined;
  /** The part of one processor that the server takes. */
  readonly processor: number | undefined;
  /** In milliseconds. */
  readonly delay: number | undefined;
}

const DURATION = 'cartulary_request_duration_seconds';
const REFUSED = 'cartulary_requests_refused_total';

/** Told to come again in a moment, or not waited for: docs/operating.md, "What applications hold". */
const isNoFailure = ({ code, reason }: Metric['labels']): boolean =>
  code === 'UNAVAILABLE' && (reason === 'busy' || reason === 'left');

const without = (all: number | undefined, some: number | undefined): number | undefined =>
  all === undefined ? undefined : Math.max(0, all - (some ?? 0));

/** What the server tells of the event loop before it has measured it: half a microsecond. */
const UNMEASURED_SECONDS = 1e-6;

/** `former`: the reading before, if there was one. */
export function sampleOf(now: TimedReading, former: TimedReading | undefined): Sample {
  const { at, reading } = now;
  const rate = (name: string, fits?: (labels: Metric['labels']) => boolean): number | undefined => {
    if (former === undefined || at <= former.at) return undefined;
    const current = reading.sum(name, fits) ?? 0;
    const before = former.reading.sum(name, fits) ?? 0;
    // A server that was started again counts from 0.
    return (1000 * (current < before ? current : current - before)) / (at - former.at);
  };
  const buckets = former === undefined ? [] : bucketsSince(reading, former.reading);
  const lag = reading.sum('nodejs_eventloop_lag_p99_seconds');
  return {
    at,
    requests: rate(`${DURATION}_count`),
    clientErrors: rate(`${DURATION}_count`, ({ status = '' }) => status.startsWith('4')),
    serverErrors: without(
      rate(`${DURATION}_count`, ({ status = '' }) => status.startsWith('5')),
      rate(REFUSED, isNoFailure),
    ),
    median: milliseconds(quantile(buckets, 0.5)),
    slow: milliseconds(quantile(buckets, 0.95)),
    inFlight: reading.sum('cartulary_requests_in_flight'),
    waiting: reading.sum('cartulary_requests_waiting'),
    connections: reading.sum('cartulary_connections'),
    lent: reading.sum('cartulary_database_pool_connections', ({ state }) => state === 'lent'),
    idle: reading.sum('cartulary_database_pool_connections', ({ state }) => state === 'idle'),
    poolWaiting: reading.sum('cartulary_database_pool_waiting'),
    tasks: reading.sum('cartulary_tasks_waiting'),
    databaseBytes: reading.sum('cartulary_database_size_bytes'),
    memory: reading.sum('process_resident_memory_bytes'),
    processor: rate('process_cpu_seconds_total'),
    delay: lag !== undefined && lag > UNMEASURED_SECONDS ? milliseconds(lag) : undefined,
  };
}

export interface TimedReading {
  readonly at: number;
  readonly reading: Reading;
}

const milliseconds = (seconds: number | undefined): number | undefined =>
  seconds === undefined || !Number.isFinite(seconds) ? undefined : 1000 * seconds;

export interface Bucket {
  /** In seconds. */
  readonly upTo: number;
  /** Requests that took no longer. */
  readonly count: number;
}

function bucketsSince(now: Reading, before: Reading): Bucket[] {
  const former = totals(before);
  return [...totals(now)]
    .map(([upTo, count]) => ({ upTo, count: Math.max(0, count - (former.get(upTo) ?? 0)) }))
    .toSorted((one, other) => one.upTo - other.upTo);
}

function totals(reading: Reading): Map<number, number> {
  const counts = new Map<number, number>();
  for (const { labels, value } of reading.all(`${DURATION}_bucket`)) {
    const upTo = labels.le === '+Inf' ? Number.POSITIVE_INFINITY : Number(labels.le);
    counts.set(upTo, (counts.get(upTo) ?? 0) + value);
  }
  return counts;
}

/** The time within which this part of the requests ended, as Prometheus estimates it: evenly within a bucket. */
export function quantile(buckets: readonly Bucket[], part: number): number | undefined {
  const total = buckets.at(-1)?.count ?? 0;
  if (total === 0) return undefined;
  const wanted = part * total;
  const at = buckets.findIndex(({ count }) => count >= wanted);
  const { upTo: low, count: below } = buckets[at - 1] ?? { upTo: 0, count: 0 };
  const { upTo: high = 0, count = 0 } = buckets[at] ?? {};
  if (!Number.isFinite(high)) return low;
  return count === below ? high : low + ((high - low) * (wanted - below)) / (count - below);
}
