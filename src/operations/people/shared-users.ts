// Shared users: the people of an organization, managed from any of its applications in shared-users mode, or by the
// operator. A change counts at once, because authentication reads the shared user itself; the users in the applications
// follow (settling).

import { isoTime } from '../../domain/dates/iso-time.ts';
import { fault } from '../../faults.ts';
import type { Transaction } from '../../store/database/handles.ts';
import { announceToNodes } from '../../store/nodes/messages.ts';
import { removeSharedOperator } from '../../store/people/operators.ts';
import {
  getSharedUser,
  insertSharedUser,
  isSharedUserNameTaken,
  listSharedUsers,
  lockSharedUser,
  removeSharedUser,
  type SharedUser,
  updateSharedUser,
} from '../../store/people/shared-users.ts';
import type { UserSearch } from '../../store/people/users.ts';
import type { ManagementSharedUser, NewSharedUser, SharedUserUpdate } from '../../wire/users.ts';
import { refuseTakingOverShared } from './operators.ts';
import { settleSoon } from './settling.ts';
import type { SharedUserManager } from './shared-user-managers.ts';
import { readNewPassword, readNewSharedUser, readSharedUserUpdate } from './user-bodies.ts';

export async function list(manager: SharedUserManager, search: UserSearch): Promise<ManagementSharedUser[]> {
  const users = await listSharedUsers(manager.database.system, manager.organization, search);
  return users.map(sharedUserView);
}

export async function get(manager: SharedUserManager, sharedUserId: string): Promise<ManagementSharedUser> {
  const user = await getSharedUser(manager.database.system, sharedUserId);
  return sharedUserView(found(user?.organization === manager.organization ? user : undefined, sharedUserId));
}

export async function create(manager: SharedUserManager, input: unknown): Promise<ManagementSharedUser> {
  const body = readNewSharedUser(input, manager.singleSignOn);
  const user = await newSharedUser(manager, body);
  await manager.transaction({ kind: 'sharedUser.create', sharedUserId: user.id }, (system) =>
    storeSharedUser(system, user, isoTime(manager.now())),
  );
  return sharedUserView(user);
}

export async function update(
  manager: SharedUserManager,
  sharedUserId: string,
  input: unknown,
): Promise<ManagementSharedUser> {
  const body = readSharedUserUpdate(input, manager.singleSignOn);
  // An unknown shared user is refused before the slow hash.
  await get(manager, sharedUserId);
  const passwordHash = body.password === undefined ? undefined : await manager.hashPassword(body.password);
  return change(manager, sharedUserId, {
    disables: body.disabled,
    changing: (user) => applied(user, body, passwordHash),
  });
}

/** By the operator, who sets it without the other members. */
export async function setPassword(manager: SharedUserManager, sharedUserId: string, input: unknown): Promise<void> {
  const { password } = readNewPassword(input);
  if (manager.singleSignOn) {
    throw fault('PASSWORD_NOT_ALLOWED', { property: 'password', reason: 'single sign-on is on' });
  }
  // An unknown shared user is refused before the slow hash.
  await get(manager, sharedUserId);
  const passwordHash = await manager.hashPassword(password);
  await change(manager, sharedUserId, {
    disables: false,
    changing: (user) => ({ ...user, passwordHash, sessionEpoch: user.sessionEpoch + 1 }),
  });
}

interface Change {
  /** Users cannot disable their own shared user. */
  readonly disables: boolean;
  readonly changing: (user: SharedUser) => SharedUser;
}

async function change(
  manager: SharedUserManager,
  sharedUserId: string,
  { disables, changing }: Change,
): Promise<ManagementSharedUser> {
  const { organization, now, invalidate } = manager;
  const since = isoTime(now());
  const activity = { kind: 'sharedUser.update', sharedUserId } as const;
  const { before, after } = await manager.transaction(activity, async (system, refuseSelf) => {
    const before = found(await lockSharedUser(system, organization, sharedUserId), sharedUserId);
    if (disables) await refuseSelf();
    const after = changing(before);
    const changesEntry = after.email !== before.email || after.passwordHash !== before.passwordHash;
    if (changesEntry && !manager.hasKey) await refuseTakingOverShared(system, sharedUserId);
    const unsettledSince = after.email === before.email ? undefined : since;
    await updateSharedUser(system, { ...after, unsettledSince });
    if (affectsEntry(before, after)) await announceToNodes(system, { sharedUser: sharedUserId });
    return { before, after };
  });
  if (affectsEntry(before, after)) invalidate({ sharedUser: sharedUserId });
  if (after.email !== before.email) await settleSoon(manager, { id: sharedUserId, organization, since });
  return sharedUserView(after);
}

export async function remove(manager: SharedUserManager, sharedUserId: string): Promise<void> {
  const { organization, now, invalidate } = manager;
  const since = isoTime(now());
  await manager.transaction({ kind: 'sharedUser.delete', sharedUserId }, async (system, refuseSelf) => {
    found(await lockSharedUser(system, organization, sharedUserId), sharedUserId);
    await refuseSelf();
    await removeSharedUser(system, sharedUserId, since);
    await removeSharedOperator(system, sharedUserId);
    await announceToNodes(system, { sharedUser: sharedUserId });
  });
  invalidate({ sharedUser: sharedUserId });
  await settleSoon(manager, { id: sharedUserId, organization, since });
}

function found(user: SharedUser | undefined, sharedUserId: string): SharedUser {
  if (user === undefined) throw fault('SHARED_USER_NOT_FOUND', { sharedUserId });
  return user;
}

/** A new address unbinds the subject of single sign-on: another person may own it. */
function applied(user: SharedUser, body: SharedUserUpdate, passwordHash: string | undefined): SharedUser {
  const endsSessions = passwordHash !== undefined || (body.disabled && !user.disabled);
  return {
    ...user,
    email: body.email,
    subject: body.email === user.email ? user.subject : null,
    disabled: body.disabled,
    passwordHash: passwordHash ?? user.passwordHash,
    sessionEpoch: user.sessionEpoch + (endsSessions ? 1 : 0),
  };
}

/** Whether nodes must drop the account from their caches. */
const affectsEntry = (before: SharedUser, after: SharedUser): boolean =>
  before.disabled !== after.disabled || before.passwordHash !== after.passwordHash;

async function newSharedUser(
  { hashPassword, ids, organization }: SharedUserManager,
  { name, email, password }: NewSharedUser,
): Promise<SharedUser> {
  const passwordHash = password === undefined ? null : await hashPassword(password);
  return {
    id: ids.long('u'),
    organization,
    name,
    email,
    passwordHash,
    disabled: false,
    sessionEpoch: 0,
    subject: null,
  };
}

async function storeSharedUser(tx: Transaction, user: SharedUser, createdAt: string): Promise<void> {
  try {
    await insertSharedUser(tx, { ...user, createdAt });
  } catch (error) {
    throw isSharedUserNameTaken(error) ? fault('USER_NAME_TAKEN', { name: user.name }) : error;
  }
}

const sharedUserView = ({ id, name, email, disabled }: SharedUser): ManagementSharedUser => ({
  id,
  name,
  email,
  disabled,
});
