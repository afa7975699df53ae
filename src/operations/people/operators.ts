// Users whom the operator names as operators: they use the operator's interface with their own sessions. Only the key names
// them, so that whoever gets hold of such a session cannot make another operator that outlives it.

import type { OperatorContext } from '../../context.ts';
import { isoTime } from '../../domain/dates/iso-time.ts';
import { fault } from '../../faults.ts';
import { getApplication } from '../../store/applications/applications.ts';
import type { JointTransaction, Reader } from '../../store/database/handles.ts';
import { announceToNodes, type Invalidation } from '../../store/nodes/messages.ts';
import { getAccounts } from '../../store/people/accounts.ts';
import {
  insertOperator,
  isOperator,
  isSharedOperator,
  listOperators,
  type NamedUser,
  removeOperator,
} from '../../store/people/operators.ts';
import { lockSharedUser, updateSharedUser } from '../../store/people/shared-users.ts';
import { getUser, lockUser, type StoredUser, updateUser } from '../../store/people/users.ts';
import type { OperatorView } from '../../wire/operator.ts';
import { writeEntries } from '../activity/entries.ts';
import { operatorEntry } from '../activity/operator-log.ts';
import { requireApplication } from '../applications/applications.ts';
import { found } from './users.ts';

/** Users of the page who are gone meanwhile are left out. */
export async function list(
  { database }: OperatorContext,
  page: { readonly skip: number; readonly limit: number },
): Promise<OperatorView[]> {
  const named = await listOperators(database.system, page);
  const views = new Map<NamedUser, OperatorView>();
  for (const applicationId of new Set(named.map((each) => each.applicationId))) {
    const users = named.filter((each) => each.applicationId === applicationId);
    const application = await getApplication(database.system, applicationId);
    if (application === undefined) continue;
    const accounts = await getAccounts(
      database,
      applicationId,
      users.map(({ userId }) => userId),
    );
    for (const each of users) {
      const account = accounts.get(each.userId);
      if (account === undefined) continue;
      const { id, name, email } = account.user;
      views.set(each, {
        application: { id: applicationId, name: application.definition.name },
        user: { id, name, email: email ?? '', disabled: account.disabled },
        namedAt: isoTime(each.namedAt),
      });
    }
  }
  return named.flatMap((each) => views.get(each) ?? []);
}

/**
 * Ends the user's sessions and the links with which a password can be set: somebody who manages the application's users may
 * have made one of them. Does nothing for a user who is named already.
 */
export async function name(context: OperatorContext, { applicationId, userId }: NamedUser): Promise<void> {
  const { database, now, invalidate } = context;
  const stored = await requireApplication(context, applicationId);
  const { definition, generation } = stored;
  const invalidations: readonly Invalidation[] = await database.jointTransaction(applicationId, async (tx) => {
    const { user } = await lockUser(tx.application, userId, { andWhoRun: false });
    const { sharedUserId } = found(user, userId);
    const at = isoTime(now());
    if (!(await insertOperator(tx.system, { applicationId, userId }, { sharedUserId, at }))) return [];
    await endSessions(tx, found(user, userId), { organization: definition.organization, generation });
    await writeEntries(tx.application, operatorEntry(context, 'operator.name', stored, { userId }));
    const stale = [{ application: applicationId }, ...(sharedUserId === null ? [] : [{ sharedUser: sharedUserId }])];
    for (const invalidation of stale) await announceToNodes(tx.system, invalidation);
    return stale;
  });
  for (const invalidation of invalidations) invalidate(invalidation);
}

async function endSessions(
  tx: JointTransaction,
  user: StoredUser,
  { organization, generation }: { readonly organization: string; readonly generation: number },
): Promise<void> {
  if (user.sharedUserId === null) {
    await updateUser(tx.application, { ...user, sessionEpoch: user.sessionEpoch + 1 }, generation);
    return;
  }
  const shared = await lockSharedUser(tx.system, organization, user.sharedUserId);
  if (shared === undefined) throw fault('USER_NOT_FOUND', { userId: user.id });
  await updateSharedUser(tx.system, { ...shared, sessionEpoch: shared.sessionEpoch + 1, unsettledSince: undefined });
}

/** Takes effect with the next request. Does nothing for a user who is not named. */
export async function unname(context: OperatorContext, { applicationId, userId }: NamedUser): Promise<void> {
  const { database } = context;
  const stored = await requireApplication(context, applicationId);
  found(await getUser(database.application(applicationId), userId), userId);
  await database.jointTransaction(applicationId, async (tx) => {
    if (!(await removeOperator(tx.system, { applicationId, userId }))) return;
    await writeEntries(tx.application, operatorEntry(context, 'operator.unname', stored, { userId }));
  });
}

/**
 * Whoever may give a named user another password or e-mail address could become an operator. So only the key does, and the
 * users themselves with their present password; not even with their tokens, which others may have made.
 */
export async function refuseTakingOver(
  system: Reader,
  { applicationId, userId, sharedUserId }: NamedUser & { readonly sharedUserId: string | null },
): Promise<void> {
  const isNamed =
    (await isOperator(system, { applicationId, userId })) ||
    (sharedUserId !== null && (await isSharedOperator(system, sharedUserId)));
  if (isNamed) throw fault('FORBIDDEN');
}

export async function refuseTakingOverShared(system: Reader, sharedUserId: string): Promise<void> {
  if (await isSharedOperator(system, sharedUserId)) throw fault('FORBIDDEN');
}
