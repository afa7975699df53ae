// What is counted from the events that the parts tell of anyway.

import type { Observation } from '../observe.ts';
import type { Trip } from '../trip.ts';
import { RequestDurations } from './request-durations.ts';
import { Tally } from './tally.ts';

/** Refusals that say something about the load and not about the request. */
const LOAD = new Set(['TOO_MANY_REQUESTS', 'UNAVAILABLE']);

export class EventCounts {
  readonly durations = new RequestDurations();
  readonly refused = new Tally('code', 'reason');
  readonly counted = new Tally('group');
  readonly overQuota = new Tally('group');
  readonly leases = new Tally('group');
  readonly bytes = new Tally('direction', 'route');
  /** Not `job`: that is Prometheus' own name for a group of servers. */
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

  note(observation: Observation): void {
    switch (observation.event) {
      case 'request': {
        this.durations.note(observation, observation.milliseconds / 1000);
        if (observation.trip !== undefined) this.#noteTrip(observation.trip, observation.route);
        break;
      }
      case 'quota.leased':
        this.leases.add([observation.group]);
        break;
      case 'job.ended':
        this.#noteJob(observation);
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

  #noteTrip({ group, problem, statements, databaseMs, bytesIn, bytesOut }: Trip, route: string): void {
    if (group !== undefined) this.counted.add([group]);
    this.statements += statements;
    this.databaseSeconds += databaseMs / 1000;
    if (bytesIn > 0) this.bytes.add(['in', route], bytesIn);
    if (bytesOut > 0) this.bytes.add(['out', route], bytesOut);
    if (problem === undefined || !LOAD.has(problem.code)) return;
    const { reason, group: full } = problem.params as { reason?: string; group?: string };
    if (full !== undefined) this.overQuota.add([full]);
    this.refused.add([problem.code, reason ?? 'quota']);
  }

  #noteJob({ job, milliseconds, failed }: Extract<Observation, { event: 'job.ended' }>): void {
    this.jobRuns.add([job]);
    this.jobSeconds.add([job], milliseconds / 1000);
    if (!failed) this.jobSuccesses.set([job], Date.now() / 1000);
  }
}
