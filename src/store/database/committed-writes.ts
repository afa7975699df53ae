// What was written and stands. After some failures a transaction, or a whole request, is run again from its start. None
// may be once something of it was committed, or may have been: it would be done twice. So every write is counted on the
// request that it is made for, unless its handle says that repeating it does no harm (`Writer.repeatable`), and what fails
// in a transaction behind its commit is made an error that nobody starts over for.

import { Fault } from '../../faults.ts';
import { isBroken, isLocked } from './sqlstate.ts';

/** Whatever may start over (request/request-scope.ts). */
export interface WriteCounter {
  /** How many writes stand, or may: those under way, those that changed something, and those whose answer was lost. */
  committedWrites: number;
}

/** What has become of one transaction. */
export interface TransactionState {
  /** A statement in it has changed something. */
  changed: boolean;
  /** And that stands, or may: the answer to the commit was lost. */
  committed: boolean;
}

export const newTransactionState = (): TransactionState => ({ changed: false, committed: false });

const READS = /^\s*(select|show|set|lock)\b/i;
/** Those may write as well, which only store/activity/logged-write does, and not by the ways of reading. */
const COMBINES = /^\s*with\b/i;

/** `rowCount` is null for what has none, such as the making of a table. */
export function changesSomething(text: string, { rowCount }: { readonly rowCount: number | null }): boolean {
  return rowCount !== 0 && !READS.test(text);
}

/** Reads may be asked a second time (store/database/connections), and nothing that is read counts as written. */
export function assertReads(text: string): void {
  if (!READS.test(text) && !COMBINES.test(text))
    throw new Error('a statement that writes was sent by a way of reading');
}

/** What was thrown in a transaction behind its commit: nothing for which anybody runs it again. */
export function afterCommit(error: unknown): unknown {
  const isHarmless = error instanceof Fault ? !isLocked(error) : isBroken(error);
  return isHarmless ? error : new Error('failed behind the commit, which stands', { cause: error });
}
