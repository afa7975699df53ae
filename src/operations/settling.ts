// What the applications' own rows keep of a shared user follows it: the copy of its address, and that it is gone. Each
// application is a transaction of its own. The mark on the shared user goes when all have followed; a job finishes what
// a server that ended has left.

import type { Context } from '../context.ts';
import { listSharing } from '../store/applications.ts';
import type { PublishTransaction } from '../store/db.ts';
import { announce } from '../store/hearing.ts';
import { holdLatest, listUnsettled, settled, type Unsettled } from '../store/shared-users.ts';
import { StaleDefinition } from '../store/sqlstate.ts';
import { lockUserOfShared, removeUser, setUserEmail } from '../store/users.ts';
import { isoTime } from './record-drafts.ts';
import { applicationExists } from './upkeep.ts';

type Means = Pick<Context['people'], 'database' | 'hear'>;

const AT_ONCE_MAX = 4;
/** Whoever made the change is at it before that. */
const LEFT_MS = 1_000;

/** Behind the transaction that made the change, which stands whether or not this succeeds. */
export async function settleSoon(means: Means, unsettled: Unsettled): Promise<void> {
  try {
    await settle(means, unsettled);
  } catch {
    // The mark is still there, and the job tells what is wrong if it fails again.
  }
}

/** One that fails stops no other. */
export async function settleLeft(means: Means & { readonly now: () => number }, signal: AbortSignal): Promise<void> {
  const failures: unknown[] = [];
  for (const unsettled of await listUnsettled(means.database.system, isoTime(means.now() - LEFT_MS))) {
    if (signal.aborted) return;
    await settle(means, unsettled).catch((error: unknown) => failures.push(error));
  }
  if (failures.length > 0) throw failures[0];
}

async function settle(means: Means, unsettled: Unsettled): Promise<void> {
  const { system } = means.database;
  const waiting = await listSharing(system, unsettled.organization);
  const follow = async () => {
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) await followIn(means, next, unsettled.id);
  };
  await Promise.all(Array.from({ length: AT_ONCE_MAX }, follow));
  const { text, params } = settled(unsettled);
  await system.write(text, params);
}

async function followIn(means: Means, applicationId: string, sharedUserId: string): Promise<void> {
  const { database, hear } = means;
  try {
    const changed = await database.together(applicationId, async (tx) => {
      const changed = await follow(tx, sharedUserId);
      if (changed) await announce(tx.application, { application: applicationId });
      return changed;
    });
    if (changed) hear({ application: applicationId });
  } catch (error) {
    if (!(error instanceof StaleDefinition) || (await applicationExists(means, applicationId))) throw error;
  }
}

/** Whether there was anything to do. */
async function follow({ system, application }: PublishTransaction, sharedUserId: string): Promise<boolean> {
  const shared = await holdLatest(system, sharedUserId);
  const user = shared && (await lockUserOfShared(application, sharedUserId));
  if (shared === undefined || user === undefined) return false;
  if (shared.deletedAt !== null) await removeUser(application, user.id, shared.deletedAt.toISOString());
  else if (user.email !== shared.email) await setUserEmail(application, user.id, shared.email);
  else return false;
  return true;
}
