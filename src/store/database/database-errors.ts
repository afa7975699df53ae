// What the database's errors mean to the rest of the code. No other file looks at an SQLSTATE.

import { Fault, fault } from '../../faults.ts';
import { isLostConnection } from './driver.ts';
import { isCoordinatorEnding, isWorkerLost } from './worker-errors.ts';

/** Our own code could not provide a connection: the database counts as unavailable. */
export class ConnectionFailure extends Error {}

export class ConnectionTimeout extends ConnectionFailure {
  constructor(milliseconds: number) {
    super(`no connection became free within ${milliseconds} ms`);
  }
}

export class ConnectionsClosed extends ConnectionFailure {
  constructor() {
    super('the connections to the database are closed');
  }
}

const RETRIABLE = new Set(['40001', '40P01']);

/** The database is unreachable, full or too busy; the statement is not to blame. */
const AWAY = /^(08...|25006|53...|55000|57P0.|57014|55P03|58030)$/;
const SYSTEM_ERRORS = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOENT',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENETUNREACH',
  'ENETDOWN',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EACCES',
]);

/** Those after which the connection is unusable. 25006: its server has been demoted; reconnecting finds the primary. */
const BROKEN = /^(08...|25006|57P0.)$/;

function codeOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
}

export function isRetriable(error: unknown): boolean {
  return RETRIABLE.has(codeOf(error));
}

/** A fault UNAVAILABLE when the error says that the database cannot serve now. */
export function unavailable(error: unknown, reason = 'database'): Fault | undefined {
  if (error instanceof Fault) return error.code === 'UNAVAILABLE' ? error : undefined;
  const code = codeOf(error);
  const busy = reason === 'busy' && RETRIABLE.has(code);
  if (!busy && !AWAY.test(code) && !isWithoutConnection(error) && !isWorkerLost(error)) return undefined;
  const away = fault('UNAVAILABLE', { reason }, { 'retry-after': '1' });
  away.cause = error;
  return away;
}

/** Whether the connection on which this came is gone or going. A coordinator that has lost a worker goes on serving. */
export function isBroken(error: unknown): boolean {
  return (BROKEN.test(codeOf(error)) && !isWorkerLost(error)) || isWithoutConnection(error);
}

/** Whether the server that did the work was lost before it said what became of it. */
export function isResultLost(error: unknown): boolean {
  return isBroken(error) || isWorkerLost(error);
}

const isWithoutConnection = (error: unknown): boolean =>
  error instanceof ConnectionFailure ||
  SYSTEM_ERRORS.has(codeOf(error)) ||
  isCoordinatorEnding(error) ||
  (isLostConnection(error) && !isWorkerLost(error));

/**
 * The name of the unique constraint that refused a row. Read from the message: a cluster gives no `constraint` member
 * and suffixes the name with its shard (docs/architecture/database.md).
 */
export function violatedConstraint(error: unknown): string | undefined {
  if (codeOf(error) !== '23505') return undefined;
  // The quotation marks depend on the server's language.
  const name = /(?<!\w)([a-z0-9_]+_p?key)(?:_\d+)?(?!\w)/.exec((error as Error).message)?.[1];
  if (name === undefined) throw error;
  return name;
}

/**
 * The definition that this request was prepared with is no longer the published one: the request starts over with the
 * current one. Never leaves the server.
 */
export class StaleDefinition extends Error {}

/** The database has no such table, column or schema: the application was published again or removed in the meantime. */
export class MissingTable extends StaleDefinition {}

/**
 * The statement relied on an earlier one in the same pipeline to prepare it, and that one failed, nearly always for a missing
 * table. Starting over prepares it.
 */
export class UnpreparedStatement extends StaleDefinition {}

/** What an error means to the rest of the code: UNAVAILABLE, a stale definition, or just itself. */
export function meaningOf(error: unknown): unknown {
  const away = unavailable(error);
  if (away !== undefined) return away;
  const code = codeOf(error);
  if (['42P01', '42703', '3F000'].includes(code)) return new MissingTable('', { cause: error });
  if (['26000', '42P05'].includes(code)) return new UnpreparedStatement('', { cause: error });
  return error;
}

/**
 * Whether the database has said that it did not do what it was asked to: nothing of the statement is or will be committed.
 * Internal errors (XX) say no such thing: a cluster may have committed on some of its workers.
 */
export function isRolledBack(error: unknown): boolean {
  const reported = error instanceof Fault || error instanceof StaleDefinition ? error.cause : error;
  return /^(?!XX)[0-9A-Z]{5}$/.test(codeOf(reported)) && !isResultLost(reported);
}

/** What the new row refers to has been removed meanwhile. */
export function isReferenceGone(error: unknown): boolean {
  return codeOf(error) === '23503';
}

/** A value does not fit the type that the statement expects. */
export function isUnfit(error: unknown): boolean {
  return codeOf(error).startsWith('22');
}

export function isDivisionByZero(error: unknown): boolean {
  return codeOf(error) === '22012';
}

/** The database does not know what a parameter names, such as a time zone. */
export function isRefusedParameter(error: unknown): boolean {
  return codeOf(error) === '22023';
}

/** For statements of which no other parameter can be refused by the database itself. */
export const unknownZone = () =>
  fault('INVALID_PARAMETER', { parameter: 'timezone', reason: 'the database does not know this time zone' });

/** Another session holds the lock. */
export function isLocked(error: unknown): boolean {
  return codeOf(error instanceof Fault ? error.cause : error) === '55P03';
}

/** Wrong user or password, or an unknown database: not a matter of time. */
export function isRefusedAccount(error: unknown): boolean {
  return /^(28...|3D000)$/.test(codeOf(error));
}

/** The statement reached its session's timeout, or was cancelled. */
export function isCancelled(error: unknown): boolean {
  return codeOf(error) === '57014';
}
