// Counters for /metrics, counted from the observed events.

import type { Observation } from '../events/events.ts';
import { refusalReason } from '../faults.ts';
import type { RequestScope } from '../request/request-scope.ts';
import { RequestDurations } from './request-durations.ts';
import { Tally } from './tally.ts';

/** Label values that start at 0, so that Prometheus sees their first event as an increase. */
export interface KnownNames {
  readonly groups: readonly string[];
  readonly jobs: readonly string[];
  readonly tasks: readonly string[];
}

const REASONS = {
  TOO_MANY_REQUESTS: ['quota', 'authentication'],
  UNAVAILABLE: ['busy', 'deadline', 'database', 'storage', 'provider', 'stopping', 'left'],
};
const OUTCOMES = ['delivered', 'gone', 'failed', 'later'] as const satisfies Outcome[];
type Outcome = Extract<Observation, { event: 'notification.settled' }>['outcome'];

export class EventCounts {
  readonly durations = new RequestDurations();
  readonly refused = new Tally('code', 'reason');
  readonly counted = new Tally('group');
  readonly overQuota = new Tally('group');
  readonly leases = new Tally('group');
  readonly bytes = new Tally('direction', 'route');
  /** The label is not `job`, which Prometheus uses for a group of servers. */
  readonly jobRuns = new Tally('name');
  readonly jobFailures = new Tally('name');
  readonly jobSeconds = new Tally('name');
  readonly jobSuccesses = new Tally('name');
  readonly taskFailures = new Tally('task');
  readonly notifications = new Tally('outcome');
  statements = 0;
  databaseSeconds = 0;
  connectionsLost = 0;
  connectionsDropped = 0;

  constructor() {
    for (const [code, reasons] of Object.entries(REASONS))
      for (const reason of reasons) this.refused.add([code, reason], 0);
    for (const outcome of OUTCOMES) this.notifications.add([outcome], 0);
  }

  startAtZero({ groups, jobs, tasks }: KnownNames): void {
    for (const tally of [this.counted, this.overQuota, this.leases]) for (const group of groups) tally.add([group], 0);
    for (const tally of [this.jobRuns, this.jobFailures, this.jobSeconds]) for (const job of jobs) tally.add([job], 0);
    for (const task of tasks) this.taskFailures.add([task], 0);
  }

  count(observation: Observation): void {
    switch (observation.event) {
      case 'request': {
        this.durations.add(observation, observation.milliseconds / 1000);
        if (observation.scope !== undefined) this.#countRequest(observation.scope, observation.route);
        break;
      }
      case 'quota.leased':
        this.leases.add([observation.group]);
        break;
      case 'job.ended':
        this.#countJob(observation);
        break;
      case 'job.failed':
        this.jobFailures.add([observation.job]);
        break;
      case 'task.failed':
        this.taskFailures.add([observation.task]);
        break;
      case 'notification.settled':
        this.notifications.add([observation.outcome]);
        break;
      case 'connections.dropped':
        this.connectionsDropped += observation.connections;
        break;
      case 'database.connectionLost':
        this.connectionsLost += 1;
        break;
    }
  }

  #countRequest({ group, problem, statements, databaseMs, bytesIn, bytesOut }: RequestScope, route: string): void {
    if (group !== undefined) this.counted.add([group]);
    this.statements += statements;
    this.databaseSeconds += databaseMs / 1000;
    if (bytesIn > 0) this.bytes.add(['in', route], bytesIn);
    if (bytesOut > 0) this.bytes.add(['out', route], bytesOut);
    const reason = problem && refusalReason(problem);
    if (problem === undefined || reason === undefined) return;
    this.refused.add([problem.code, reason]);
    const { group: full } = problem.params as { group?: string };
    if (full !== undefined) this.overQuota.add([full]);
  }

  #countJob({ job, milliseconds, failed }: Extract<Observation, { event: 'job.ended' }>): void {
    this.jobRuns.add([job]);
    this.jobSeconds.add([job], milliseconds / 1000);
    if (!failed) this.jobSuccesses.set([job], Date.now() / 1000);
  }
}
