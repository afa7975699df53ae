// Finishes changes of shared users that not all applications have followed, because the node that made them failed or
// ended (operations/people/settling).

import { isoTime } from '../../domain/dates/iso-time.ts';
import { claimUnsettled, postponed } from '../../store/people/shared-users.ts';
import { type SettlingContext, settle } from '../people/settling.ts';

/** The request that made the change gets this long to settle it before the job steps in. */
const LEFT_MS = 1_000;
/** While one node settles a shared user, no other node claims it. */
const LEASE_MS = 60_000;
const CLAIMS_MAX = 100;

/** A shared user that fails is postponed and does not hold up the others; the first error is thrown at the end. */
export async function settleLeft(
  context: SettlingContext & { readonly now: () => number },
  signal: AbortSignal,
): Promise<void> {
  const { database, now } = context;
  const before = isoTime(now() - LEFT_MS);
  const failures: unknown[] = [];
  for (let count = 0; count < CLAIMS_MAX && !signal.aborted; count++) {
    const claimed = await claimUnsettled(database.system, { before, until: isoTime(now() + LEASE_MS) });
    if (claimed === undefined) break;
    try {
      await settle(context, claimed);
    } catch (error) {
      failures.push(error);
      const { text, params } = postponed(claimed, isoTime(now()));
      await database.system.write(text, params);
    }
  }
  if (failures.length > 0) throw failures[0];
}
