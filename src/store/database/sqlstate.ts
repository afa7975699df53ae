// What the database says, turned into what the rest of the code knows. Nothing else looks at an SQLSTATE.

import { Fault, fault } from '../../faults.ts';

const RETRIABLE = new Set(['40001', '40P01']);

/** Classes and codes that mean that the database is away, full or too busy, not that the statement is wrong. */
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
const DRIVER_MESSAGES =
  /Connection terminated|timeout expired|timeout exceeded when trying to connect|not queryable|Client was closed|Query read timeout|Connection ended/i;

/** Those of them after which the connection is of no use. One that takes no writes leads to a server that was the right one. */
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
  const message = error instanceof Error ? error.message : '';
  const busy = reason === 'busy' && RETRIABLE.has(code);
  if (!busy && !AWAY.test(code) && !SYSTEM_ERRORS.has(code) && !DRIVER_MESSAGES.test(message)) return undefined;
  const away = fault('UNAVAILABLE', { reason }, { 'retry-after': '1' });
  away.cause = error;
  return away;
}

/** Whether the connection on which this came is gone or going. */
export function isBroken(error: unknown): boolean {
  const code = codeOf(error);
  return (
    BROKEN.test(code) || SYSTEM_ERRORS.has(code) || DRIVER_MESSAGES.test(error instanceof Error ? error.message : '')
  );
}

/**
 * The name of the unique constraint that refused a row. Read from the message: a cluster gives no `constraint` member
 * and suffixes the name with its shard (docs/architecture.md, "Within Citus").
 */
export function violatedConstraint(error: unknown): string | undefined {
  if (codeOf(error) !== '23505') return undefined;
  // Whatever quotation marks the server's language has.
  const name = /(?<!\w)([a-z0-9_]+_p?key)(?:_\d+)?(?!\w)/.exec((error as Error).message)?.[1];
  if (name === undefined) throw error;
  return name;
}

/** The definition that this request was prepared with is no longer the published one. Never leaves the server. */
export class StaleDefinition extends Error {}

/**
 * A table, column or schema of an application is gone: it was published anew, or removed, since. 26000 and 42P05 are what
 * statements get that travelled behind one that should have prepared them and failed; trying again prepares them.
 */
export function isGone(error: unknown): boolean {
  return ['42P01', '42703', '3F000', '26000', '42P05'].includes(codeOf(error));
}

/** A value does not have the type that the statement takes it for. */
export function isUnfit(error: unknown): boolean {
  return codeOf(error).startsWith('22');
}

/** Somebody else holds the lock. */
export function isLocked(error: unknown): boolean {
  return codeOf(error instanceof Fault ? error.cause : error) === '55P03';
}

/** The database ended the statement because it took longer than its session allows, or because somebody asked it to. */
export function isCancelled(error: unknown): boolean {
  return codeOf(error) === '57014';
}
