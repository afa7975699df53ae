// A request reads long records only while it holds enough of the byte budget (load/byte-budget). It never waits for
// budget while it holds a connection or a lock: it leaves the transaction, waits, and does the work again.

import type { Context } from '../context.ts';
import { tooBusy } from '../faults.ts';
import { BytesNeeded } from '../load/byte-budget.ts';

type Holder = Pick<Context, 'scope' | 'byteBudget' | 'withoutSlot'>;

/** Each attempt may find that the records have grown while the request waited. */
const ATTEMPTS = 5;

/** Continues only if the request holds that many bytes. Must run inside `withBytes`. */
export const requireBytes = ({ byteBudget, scope }: Holder, bytes: number): void => byteBudget.require(scope, bytes);

/** Releases all but `bytes` of what the request holds. */
export const keepBytes = ({ byteBudget, scope }: Holder, bytes: number): void =>
  byteBudget.releaseBytes(scope, Math.max(0, scope.heldBytes - bytes));

export async function withBytes<T>(at: Holder, work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof BytesNeeded)) throw error;
      // The budget bounds how many go on at once.
      await at.withoutSlot(() => at.byteBudget.wait(at.scope, error.bytes), { atOnce: true });
    }
  }
  throw tooBusy();
}
