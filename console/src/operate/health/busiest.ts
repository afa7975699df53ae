// The operations that took most time, from the counts by method, route and status.

import type { Reading } from './metrics.ts';

export interface RouteFigures {
  readonly name: string;
  readonly requests: number;
  readonly clientErrors: number;
  readonly serverErrors: number;
  readonly seconds: number;
}

const DURATION = 'cartulary_request_duration_seconds';

export function busiest(reading: Reading, count: number): RouteFigures[] {
  const routes = new Map<string, RouteFigures>();
  const add = (labels: Readonly<Record<string, string>>, more: Partial<RouteFigures>) => {
    const name = `${labels.method ?? ''} ${labels.route ?? ''}`;
    const before = routes.get(name) ?? { name, requests: 0, clientErrors: 0, serverErrors: 0, seconds: 0 };
    const sum = (member: 'requests' | 'clientErrors' | 'serverErrors' | 'seconds') =>
      before[member] + (more[member] ?? 0);
    routes.set(name, {
      name,
      requests: sum('requests'),
      clientErrors: sum('clientErrors'),
      serverErrors: sum('serverErrors'),
      seconds: sum('seconds'),
    });
  };
  for (const { labels, value } of reading.all(`${DURATION}_count`)) {
    const { status = '' } = labels;
    add(labels, {
      requests: value,
      clientErrors: status.startsWith('4') ? value : 0,
      serverErrors: status.startsWith('5') ? value : 0,
    });
  }
  for (const { labels, value } of reading.all(`${DURATION}_sum`)) add(labels, { seconds: value });
  return [...routes.values()]
    .filter(({ requests }) => requests > 0)
    .toSorted((one, other) => other.seconds - one.seconds)
    .slice(0, count);
}
