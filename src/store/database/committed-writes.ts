// Writes that are committed and must not be repeated. After some failures a transaction, or a whole request, runs again from its
// start; once a write of it is committed, or may be, that would write twice. So every write is counted on its request, unless
// its handle declares it idempotent (`Writer.repeatable`), and an error after a commit becomes one that is never retried.

import { Fault } from '../../faults.ts';
import { isLocked, isResultLost } from './database-errors.ts';

/** A request that may start over (request/request-scope.ts). */
export interface WriteCounter {
  /** Writes that are committed or may be: running, changed something, or their result was lost. */
  committedWrites: number;
}

export interface TransactionState {
  /** A statement has changed something. */
  changed: boolean;
  /** The change is committed, or may be: the result of the commit was lost. */
  committed: boolean;
}

export const newTransactionState = (): TransactionState => ({ changed: false, committed: false });

const READS = /^\s*(select|show|set|lock)\b/i;
/** May write as well, but only store/activity/logged-write does so, and not through the methods that read. */
const COMBINES = /^\s*with\b/i;

/** `rowCount` is null for statements without one, such as `create table`. */
export function changesSomething(text: string, { rowCount }: { readonly rowCount: number | null }): boolean {
  return rowCount !== 0 && !READS.test(text);
}

/** Reads may run twice (store/database/connections) and are not counted as writes. */
export function assertReads(text: string): void {
  if (!READS.test(text) && !COMBINES.test(text))
    throw new Error('a statement that writes was sent by a method that reads');
}

/** The error to throw for one that occurred after the commit: one that is never retried. */
export function afterCommit(error: unknown): unknown {
  const isHarmless = error instanceof Fault ? !isLocked(error) : isResultLost(error);
  return isHarmless ? error : new Error('failed after the commit', { cause: error });
}
