// Every event worth noticing, as one union. Log lines are made from it here; nothing else writes to the log.

import { type Logger, pino } from 'pino';

export type Observation =
  | { event: 'request'; requestId: string; method: string; route: string; status: number; milliseconds: number }
  | { event: 'request.failed'; requestId: string; method: string; route: string; error: unknown }
  | { event: 'request.refused'; requestId: string; method: string; route: string; code: string; cause: unknown }
  | { event: 'request.left' | 'request.cut'; requestId: string; method: string; route: string; cause: unknown }
  | { event: 'database.connectionLost'; error: Error }
  | { event: 'database.restarted'; reason: string }
  | { event: 'job.failed'; job: string; applicationId?: string; error: unknown }
  | { event: 'task.failed'; task: string; error: unknown }
  | {
      event: 'application.publishing';
      applicationId: string;
      step: string;
      collectionId: string | null;
      done: number;
      total: number;
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
  | { event: 'server.started'; address: string }
  | { event: 'server.stopping'; signal: string };

export type Observe = (observation: Observation) => void;

const LEVELS = {
  request: 'info',
  'request.failed': 'error',
  'request.refused': 'warn',
  'request.left': 'debug',
  'request.cut': 'warn',
  'database.connectionLost': 'warn',
  'database.restarted': 'warn',
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
  'server.started': 'debug',
  'server.stopping': 'debug',
} as const satisfies Record<Observation['event'], string>;

export function observeToLog(level: string): Observe {
  const log: Logger = pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime },
    pino.destination({ dest: 2, sync: false }),
  );
  return ({ event, ...rest }) => {
    const fields: Record<string, unknown> = { ...rest };
    // pino prints errors whole only under `err`.
    for (const member of ['error', 'cause']) {
      if (fields[member] instanceof Error) {
        fields.err = fields[member];
        delete fields[member];
      }
    }
    if (typeof fields.milliseconds === 'number') fields.milliseconds = Math.round(fields.milliseconds * 10) / 10;
    log[LEVELS[event]](fields, event);
  };
}
