// Histograms of the duration of requests by method, route and status. Runs for every request: three lookups and an
// addition, 0.1 µs.

import type { CountedValue } from './tally.ts';

/** In seconds. A get takes a fraction of the first; only transfers take longer than the deadline of a request. */
export const BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** Any other method is refused, and counted as `other`: a label may not hold what a client sent. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

interface Durations {
  /** Requests between each bound and the one before; the last entry counts those above all bounds. */
  readonly counts: number[];
  sum: number;
}

interface Labels {
  readonly method: string;
  readonly route: string;
  readonly status: number;
}

export class RequestDurations {
  readonly #routes = new Map<string, Map<string, Map<number, Durations>>>();

  add(labels: Labels, seconds: number): void {
    const durations = this.#routes.get(labels.route)?.get(labels.method)?.get(labels.status) ?? this.#begin(labels);
    let index = 0;
    while (index < BOUNDS.length && seconds > BOUNDS[index]!) index += 1;
    durations.counts[index]! += 1;
    durations.sum += seconds;
  }

  values(name: string): CountedValue[] {
    const values: CountedValue[] = [];
    for (const [route, methods] of this.#routes) {
      for (const [method, statuses] of methods) {
        for (const [status, durations] of statuses) {
          values.push(...partsOf(name, { method, route, status }, durations));
        }
      }
    }
    return values;
  }

  #begin({ route, method, status }: Labels): Durations {
    const known = METHODS.has(method) ? method : 'other';
    const methods = this.#routes.get(route) ?? new Map<string, Map<number, Durations>>();
    const statuses = methods.get(known) ?? new Map<number, Durations>();
    const durations = statuses.get(status) ?? { counts: [...BOUNDS, 0].map(() => 0), sum: 0 };
    this.#routes.set(route, methods.set(known, statuses.set(status, durations)));
    return durations;
  }
}

function partsOf(name: string, labels: Labels, { counts, sum }: Durations): CountedValue[] {
  let count = 0;
  const buckets = counts.map((more, index) => {
    count += more;
    return { metricName: `${name}_bucket`, labels: { le: BOUNDS[index] ?? '+Inf', ...labels }, value: count };
  });
  return [
    ...buckets,
    { metricName: `${name}_sum`, labels: { ...labels }, value: sum },
    { metricName: `${name}_count`, labels: { ...labels }, value: count },
  ];
}
