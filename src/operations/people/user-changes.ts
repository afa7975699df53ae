// Changing and deleting users of an application, by a user with management access or by the operator. At least one user
// who can run the application remains.

import { isoTime } from '../../domain/dates/iso-time.ts';
import { runsApplication } from '../../domain/people/users.ts';
import { fault } from '../../faults.ts';
import type { JointTransaction } from '../../store/database/handles.ts';
import { announceToNodes } from '../../store/nodes/messages.ts';
import { removeOperator } from '../../store/people/operators.ts';
import { enabledAmong } from '../../store/people/shared-users.ts';
import { getUser, lockUser, removeUser, type StoredUser, updateUser } from '../../store/people/users.ts';
import type { ManagementUser, UserUpdate } from '../../wire/users.ts';
import { writeEntries } from '../activity/entries.ts';
import { refuseTakingOver } from './operators.ts';
import { readNewPassword, readUserUpdate, refuseAccesses } from './user-bodies.ts';
import type { UserManager } from './user-managers.ts';
import { found, refuseGrant, userView } from './users.ts';

export async function update(manager: UserManager, userId: string, input: unknown): Promise<ManagementUser> {
  const { application, store, caller } = manager;
  const body = readUserUpdate(input, application.definition);
  refuseGrant(manager, body);
  if (userId === caller?.id && body.disabled) {
    throw fault('FORBIDDEN_SELF_CHANGE', { reason: 'a user cannot disable themselves' });
  }
  const before = found(await getUser(store, userId), userId);
  const passwordHash = body.password === undefined ? undefined : await manager.hashPassword(body.password);
  const change = { userId, leaves: !runsApplication(body), ranBefore: runsApplication(before) };
  return changeUser(manager, change, (user) => applied(user, body, passwordHash));
}

/** By the operator, who sets it without the other members. */
export async function setPassword(manager: UserManager, userId: string, input: unknown): Promise<void> {
  const { application, store } = manager;
  const { password } = readNewPassword(input);
  if (application.definition.sharedUsersModeEnabled) {
    const reason = 'must not be given while shared-users mode is on: the shared user has it';
    throw fault('UNEXPECTED_PROPERTY', { property: 'password', reason });
  }
  // An unknown user is refused before the slow hash.
  found(await getUser(store, userId), userId);
  const passwordHash = await manager.hashPassword(password);
  await changeUser(manager, { userId, leaves: false, ranBefore: false }, (user) => ({
    ...user,
    passwordHash,
    sessionEpoch: user.sessionEpoch + 1,
  }));
}

async function changeUser(
  manager: UserManager,
  change: Change,
  changing: (user: StoredUser) => StoredUser,
): Promise<ManagementUser> {
  const { application, database, invalidate } = manager;
  const user = await database.jointTransaction(application.id, async (tx) => {
    const locked = await lockToChange(tx, change);
    const changed = changing(locked);
    if (takesOver(locked, changed)) refuseWithoutOrganization(manager, locked);
    if (!manager.hasKey && changesEntry(locked, changed)) {
      const { id: userId, sharedUserId } = locked;
      await refuseTakingOver(tx.system, { applicationId: application.id, userId, sharedUserId });
    }
    refuseAccesses(changed);
    await updateUser(tx.application, changed, application.generation);
    await writeEntries(tx.application, manager.entries('user.update', change.userId));
    await announceToNodes(tx.application, { application: application.id });
    return changed;
  });
  invalidate({ application: application.id });
  return userView(user, application.definition);
}

export async function remove(manager: UserManager, userId: string): Promise<void> {
  const { application, database, store, now, caller, invalidate } = manager;
  if (application.definition.sharedUsersModeEnabled)
    throw fault('NOT_IN_SHARED_USERS_MODE', undefined, { allow: 'GET, HEAD, PUT' });
  if (userId === caller?.id) {
    throw fault('FORBIDDEN_SELF_CHANGE', { reason: 'a user cannot delete themselves' });
  }
  const before = found(await getUser(store, userId), userId);
  await database.jointTransaction(application.id, async (tx) => {
    const locked = await lockToChange(tx, { userId, leaves: true, ranBefore: runsApplication(before) });
    refuseWithoutOrganization(manager, locked);
    await removeUser(tx.application, userId, isoTime(now()));
    await removeOperator(tx.system, { applicationId: application.id, userId });
    await writeEntries(tx.application, manager.entries('user.delete', userId));
    await announceToNodes(tx.application, { application: application.id });
  });
  invalidate({ application: application.id });
}

/** Otherwise management access to one application would reach accounts with access beyond it. */
function refuseWithoutOrganization({ caller }: UserManager, user: StoredUser): void {
  if (user.organizationManagementApiAccess && caller?.organizationManagementApiAccess === false) {
    throw fault('ORGANIZATION_MANAGEMENT_API_ACCESS_REQUIRED');
  }
}

/** Everything but profile and team decides whether the user gets in, and with which rights. */
const DECISIVE = [
  'email',
  'passwordHash',
  'admin',
  'apiAccess',
  'managementApiAccess',
  'organizationManagementApiAccess',
  'disabled',
] as const satisfies readonly (keyof StoredUser)[];

const takesOver = (before: StoredUser, after: StoredUser): boolean =>
  DECISIVE.some((property) => before[property] !== after[property]);

/** Whether another person may get in with the user's name. */
const changesEntry = (before: StoredUser, after: StoredUser): boolean =>
  before.email !== after.email || before.passwordHash !== after.passwordHash;

/** Members that the mode refuses keep their value. A new address unbinds the subject: another person may own it. */
function applied(user: StoredUser, body: UserUpdate, passwordHash: string | undefined): StoredUser {
  const email = body.email ?? user.email;
  const endsSessions = passwordHash !== undefined || (body.disabled && !user.disabled);
  return {
    ...user,
    email,
    subject: email === user.email ? user.subject : null,
    passwordHash: passwordHash ?? user.passwordHash,
    admin: body.admin,
    apiAccess: body.apiAccess,
    managementApiAccess: body.managementApiAccess,
    organizationManagementApiAccess: body.organizationManagementApiAccess ?? user.organizationManagementApiAccess,
    profile: body.profile.name,
    team: body.team?.name ?? user.team,
    teamLeader: body.teamLeader ?? user.teamLeader,
    disabled: body.disabled,
    sessionEpoch: user.sessionEpoch + (endsSessions ? 1 : 0),
  };
}

interface Change {
  readonly userId: string;
  /** After the change the user cannot run the application. */
  readonly leaves: boolean;
  /** Before the transaction the user could: then every user who can is locked along with it. */
  readonly ranBefore: boolean;
}

/** Locks the user. Refused where the change would leave the application without a user who can run it. */
async function lockToChange(
  { system, application }: JointTransaction,
  { userId, leaves, ranBefore }: Change,
): Promise<StoredUser> {
  const andWhoRun = leaves && ranBefore;
  const { user, whoRun } = await lockUser(application, userId, { andWhoRun });
  const locked = found(user, userId);
  if (!leaves || !runsApplication(locked)) return locked;
  // The user gained these rights after we read them, so lock the others now. This order can deadlock; the transaction is
  // then retried.
  const all = andWhoRun ? whoRun : (await lockUser(application, userId, { andWhoRun: true })).whoRun;
  const others = all.filter(({ id }) => id !== userId);
  const shared = others.flatMap(({ sharedUserId }) => sharedUserId ?? []);
  const enabled = shared.length === 0 ? new Set<string>() : await enabledAmong(system, shared);
  if (others.some(({ sharedUserId }) => sharedUserId === null || enabled.has(sharedUserId))) return locked;
  throw fault('FORBIDDEN_SELF_CHANGE', {
    reason: 'the application would be left without an admin who has management access',
  });
}
