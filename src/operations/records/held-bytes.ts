// Long records are read for a request only when it holds as many bytes (byte-budget). Nobody waits for bytes with a
// connection or a lock in hand: who lacks some leaves the transaction, waits, and does it anew.

import type { Context } from '../../context.ts';
import { tooBusy } from '../../faults.ts';
import { BytesNeeded } from '../../request/byte-budget.ts';

type Holder = Pick<Context, 'scope' | 'byteBudget' | 'withoutSlot'>;

/** What is read anew may have grown while the bytes were waited for. */
const ATTEMPTS = 5;

/** Within `withBytes`: goes on only when the request holds so many bytes. */
export const requireBytes = ({ byteBudget, scope }: Holder, bytes: number): void => byteBudget.require(scope, bytes);

/** Gives up what the request holds beyond so many. */
export const keepBytes = ({ byteBudget, scope }: Holder, bytes: number): void =>
  byteBudget.releaseBytes(scope, Math.max(0, scope.heldBytes - bytes));

export async function withBytes<T>(at: Holder, work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof BytesNeeded)) throw error;
      await at.withoutSlot(() => at.byteBudget.wait(at.scope, error.bytes));
    }
  }
  throw tooBusy();
}
