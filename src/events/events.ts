// The union of all observed events, and the log lines made from them. Nothing else writes to the log.

import { type Logger, pino } from 'pino';
import { refusalReason } from '../faults.ts';
import type { RequestScope } from '../request/request-scope.ts';
import { errorForLog } from './log-errors.ts';
import { Floods } from './log-floods.ts';
import { collectLines } from './log-lines.ts';
import { requestLine, tenths } from './request-line.ts';

/** `scope` is undefined for input that could not be parsed as a request. */
interface RequestFields {
  readonly requestId: string;
  readonly method: string;
  readonly route: string;
  readonly scope?: RequestScope;
}

export type Observation =
  /** `routine`: a health probe or the like, logged at debug level. */
  | (RequestFields & { event: 'request'; status: number; milliseconds: number; routine?: true })
  | (RequestFields & { event: 'request.failed'; error: unknown })
  | (RequestFields & { event: 'request.refused'; code: string; cause: unknown })
  | (RequestFields & { event: 'request.left' | 'request.cut'; cause: unknown })
  /** Connections beyond the limit, counted over one second. */
  | { event: 'connections.dropped'; connections: number }
  /** Connections closed because their clients left too many bytes of replies unread, counted over one second. */
  | { event: 'connections.cut'; connections: number }
  | { event: 'database.connectionLost'; error: Error }
  | { event: 'database.connected'; server: string }
  | { event: 'database.engine'; engine: string; version: string; citus: string | undefined; cannot: readonly string[] }
  | { event: 'database.restarted'; reason: string }
  | { event: 'replica.found'; replica: string }
  | { event: 'replica.away'; replica: string; reason: string }
  | { event: 'cluster.workerAway'; worker: string }
  | { event: 'cluster.workerBack'; worker: string }
  | { event: 'cluster.registered'; tables: readonly string[] }
  | { event: 'cluster.unregistered'; error: unknown }
  | { event: 'cluster.unmigrated'; applicationId: string }
  | { event: 'job.failed'; job: string; applicationId?: string; error: unknown }
  | { event: 'task.failed'; task: string; error: unknown }
  | {
      event: 'application.publishing';
      applicationId: string;
      step: string;
      collectionId?: string;
      done?: number;
      total?: number;
    }
  | { event: 'application.unsettled'; applicationId: string; error: unknown }
  | { event: 'application.published'; applicationId: string; version: number; changes: number }
  | { event: 'attachments.away'; error: Error }
  | {
      event: 'attachments.swept';
      applicationId: string;
      interrupted: number;
      halfRemoved: number;
      unheld: number;
      strays: number;
    }
  | { event: 'attachments.erased'; applicationId: string; files: number }
  | { event: 'attachments.unswept'; applicationId: string; error: unknown }
  | { event: 'signOn.refused'; applicationId: string; address: string; reason: string }
  | { event: 'activityLog.trimmed'; applicationId: string; months: number; entries: number }
  | { event: 'activityLog.unkept'; applicationId: string; error: unknown }
  | { event: 'notification.failed'; applicationId: string; notificationId: string; deviceId: string; problem: string }
  | { event: 'notifications.unreachable'; service: string; problem: string }
  | { event: 'notification.settled'; outcome: 'delivered' | 'gone' | 'failed' | 'later' }
  | { event: 'job.ended'; job: string; milliseconds: number; failed: boolean }
  | { event: 'quota.leased'; applicationId: string; group: string; granted: number; left: number }
  | { event: 'quota.exhausted'; applicationId: string; group: string; quota: number }
  | { event: 'traces.unsent'; error: Error }
  | { event: 'worker.lost'; pid: number; cause: string }
  | { event: 'server.started'; address: string; version: string; pid: number }
  | { event: 'server.stopping'; signal: string }
  | { event: 'server.stopped'; milliseconds: number };

export type Observe = (observation: Observation) => void;

const LEVELS = {
  request: 'info',
  'request.failed': 'error',
  'request.refused': 'warn',
  'request.left': 'debug',
  'request.cut': 'warn',
  'connections.dropped': 'warn',
  'connections.cut': 'warn',
  'database.connectionLost': 'warn',
  'database.connected': 'info',
  'database.engine': 'info',
  'database.restarted': 'warn',
  'replica.found': 'info',
  'replica.away': 'warn',
  'cluster.workerAway': 'warn',
  'cluster.workerBack': 'info',
  'cluster.registered': 'info',
  'cluster.unregistered': 'warn',
  'cluster.unmigrated': 'warn',
  'job.failed': 'warn',
  'task.failed': 'warn',
  'application.publishing': 'info',
  'application.unsettled': 'warn',
  'application.published': 'info',
  'attachments.away': 'warn',
  'attachments.swept': 'info',
  'attachments.erased': 'info',
  'attachments.unswept': 'warn',
  'signOn.refused': 'warn',
  'activityLog.trimmed': 'info',
  'activityLog.unkept': 'warn',
  'notification.failed': 'info',
  'notifications.unreachable': 'warn',
  'notification.settled': 'trace',
  'job.ended': 'trace',
  'quota.leased': 'trace',
  'quota.exhausted': 'info',
  'traces.unsent': 'warn',
  'worker.lost': 'warn',
  'server.started': 'info',
  'server.stopping': 'info',
  'server.stopped': 'info',
} as const satisfies Record<Observation['event'], string>;

/** Time between two log lines of the same kind in a flood (log-floods). */
const REFUSED_MS = 1_000;
const JOB_FAILED_MS = 60_000;

export function observeToLog(level: string): Observe {
  const write = collectLines();
  const log: Logger = pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime, serializers: { err: errorForLog } },
    { write },
  );
  const writeEvent = (observation: Observation, counted?: { times: number }) => {
    const { event } = observation;
    const eventLevel = event === 'request' && observation.routine ? 'debug' : LEVELS[event];
    if (!log.isLevelEnabled(eventLevel)) return;
    if (event === 'request') write(requestLine(pino.levels.values[eventLevel]!, observation));
    else log[eventLevel]({ ...fieldsOf(observation), ...counted }, event);
  };
  const floods = new Floods<Observation>((latest, times) => writeEvent(latest, { times }));
  return (observation) => {
    if (observation.event === 'request.refused') {
      const { code, scope } = observation;
      floods.add(`${code} ${scope?.problem && refusalReason(scope.problem)}`, observation, REFUSED_MS);
    } else if (observation.event === 'job.failed') {
      floods.add(`${observation.job} ${observation.applicationId}`, observation, JOB_FAILED_MS);
    } else writeEvent(observation);
  };
}

function fieldsOf(observation: Observation): Record<string, unknown> {
  const { event, ...rest } = observation;
  const { scope, ...fields }: Record<string, unknown> & { scope?: RequestScope } = rest;
  for (const member of ['error', 'cause']) {
    if (typeof fields[member] === 'object') {
      fields.err = fields[member];
      delete fields[member];
    }
  }
  if (typeof fields.milliseconds === 'number') fields.milliseconds = tenths(fields.milliseconds);
  if (scope === undefined) return fields;
  const { applicationId, userId, problem, trace } = scope;
  if (problem !== undefined) {
    fields.code = problem.code;
    fields.reason = refusalReason(problem);
  }
  return { ...fields, applicationId, userId, traceId: trace?.id };
}
