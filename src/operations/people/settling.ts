// What the applications' own rows keep of a shared user follows it: the copy of its address, and that it is gone. Each
// application is a transaction of its own. The mark on the shared user goes when all have followed; a job
// (operations/upkeep/unsettled-shared-users) finishes what a server that ended has left.

import type { Context, PeopleDependencies } from '../../context.ts';
import { withTimeout } from '../../request/timeout.ts';
import { listSharing } from '../../store/applications/applications.ts';
import { StaleDefinition } from '../../store/database/database-errors.ts';
import type { JointTransaction } from '../../store/database/handles.ts';
import { announceToNodes } from '../../store/nodes/messages.ts';
import { holdLatest, settled, type Unsettled } from '../../store/people/shared-users.ts';
import { lockUserOfShared, removeUser, setUserEmail } from '../../store/people/users.ts';
import { applicationExists } from '../every-application.ts';

export type SettlingContext = Pick<Context, 'database'> & Pick<Context['people'], 'invalidate'>;

const AT_ONCE_MAX = 4;
/** The request waits this long for its own change to settle, so that lists show it. */
const WAITED_MS = 2_000;

/** Runs after the transaction that made the change, which stands whether or not this succeeds. */
export async function settleSoon(
  { database, invalidate, inBackground }: SettlingContext & Pick<PeopleDependencies, 'inBackground'>,
  unsettled: Unsettled,
): Promise<void> {
  // After a failure the mark stays; the job tries again and reports the error.
  const settling = settle({ database, invalidate }, unsettled).catch(() => undefined);
  const settled = settling.then(() => true);
  if ((await withTimeout(WAITED_MS, settled)) === undefined) inBackground('settling', () => settling);
}

/** An application that fails does not stop the others; its error is thrown after all have been tried. */
export async function settle(means: SettlingContext, unsettled: Unsettled): Promise<void> {
  const { system } = means.database;
  const waiting = await listSharing(system, unsettled.organization);
  const failures: unknown[] = [];
  const follow = async () => {
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      await followIn(means, next, unsettled.id).catch((error: unknown) => failures.push(error));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE_MAX }, follow));
  if (failures.length > 0) throw failures[0];
  const { text, params } = settled(unsettled);
  await system.write(text, params);
}

async function followIn(means: SettlingContext, applicationId: string, sharedUserId: string): Promise<void> {
  const { database, invalidate } = means;
  try {
    const changed = await database.jointTransaction(applicationId, async (tx) => {
      const changed = await follow(tx, sharedUserId);
      if (changed) await announceToNodes(tx.application, { application: applicationId });
      return changed;
    });
    if (changed) invalidate({ application: applicationId });
  } catch (error) {
    if (!(error instanceof StaleDefinition) || (await applicationExists(means, applicationId))) throw error;
  }
}

/** False when the application already had the change. */
async function follow({ system, application }: JointTransaction, sharedUserId: string): Promise<boolean> {
  const shared = await holdLatest(system, sharedUserId);
  const user = shared && (await lockUserOfShared(application, sharedUserId));
  if (shared === undefined || user === undefined) return false;
  if (shared.deletedAt !== null) await removeUser(application, user.id, shared.deletedAt.toISOString());
  else if (user.email !== shared.email) await setUserEmail(application, user.id, shared.email);
  else return false;
  return true;
}
