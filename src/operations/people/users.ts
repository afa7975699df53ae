// The users of an application: their short list, reading and creating them. In shared-users mode creating a user
// activates a shared user. Changing and deleting them is in user-changes.

import type { Context } from '../../context.ts';
import { isoTime } from '../../domain/dates/iso-time.ts';
import { fault } from '../../faults.ts';
import type { JointTransaction } from '../../store/database/handles.ts';
import { announceToNodes } from '../../store/nodes/messages.ts';
import { holdSharedUser } from '../../store/people/shared-users.ts';
import {
  getUser,
  insertUser,
  listUsers,
  listUsersShort,
  type StoredUser,
  type UserPage,
  type UserSearch,
  userConflict,
} from '../../store/people/users.ts';
import type { Definition } from '../../wire/publish-document.ts';
import type { ManagementUser, NewUser, UserShort } from '../../wire/users.ts';
import { writeEntries } from '../activity/entries.ts';
import { readNewUser } from './user-bodies.ts';
import type { UserManager } from './user-managers.ts';

export type { UserPage, UserSearch };

/** What every user of the application may see of the others. */
export const listShort = ({ store }: Context, page: UserPage): Promise<UserShort[]> => listUsersShort(store, page);

/** If the identifier is taken, another is drawn; with 36 random bits even two collisions in a row are unlikely. */
const ID_ATTEMPTS = 5;

export async function list({ store, application }: UserManager, search: UserSearch): Promise<ManagementUser[]> {
  const { definition } = application;
  const users = await listUsers(store, search, definition);
  return users.map((user) => userView(user, definition));
}

export async function get({ store, application }: UserManager, userId: string): Promise<ManagementUser> {
  return userView(found(await getUser(store, userId), userId), application.definition);
}

export function found(user: StoredUser | undefined, userId: string): StoredUser {
  if (user === undefined) throw fault('USER_NOT_FOUND', { userId });
  return user;
}

/** Organization access is given, or confirmed, only by a caller that has it. */
export function refuseGrant({ caller }: UserManager, body: { organizationManagementApiAccess?: boolean }): void {
  if (body.organizationManagementApiAccess === true && caller?.organizationManagementApiAccess === false) {
    throw fault('ORGANIZATION_MANAGEMENT_API_ACCESS_REQUIRED');
  }
}

export async function create(manager: UserManager, input: unknown): Promise<ManagementUser> {
  const { application, database, ids, invalidate } = manager;
  const { definition } = application;
  const body = readNewUser(input, definition);
  refuseGrant(manager, body);
  const passwordHash = body.password === undefined ? null : await manager.hashPassword(body.password);
  for (let attempt = 1; ; attempt++) {
    const id = ids.short('u');
    try {
      const user = await database.jointTransaction(definition.id, (tx) =>
        storeUser(tx, manager, { body, id, passwordHash }),
      );
      invalidate({ application: definition.id });
      return userView(user, definition);
    } catch (error) {
      const conflict = userConflict(error);
      if (conflict === 'sharedUser') throw fault('ALREADY_ACTIVE', { name: body.name });
      if (conflict === 'name') {
        throw fault(definition.sharedUsersModeEnabled ? 'ALREADY_ACTIVE' : 'USER_NAME_TAKEN', { name: body.name });
      }
      if (conflict !== 'id' || attempt === ID_ATTEMPTS) throw error;
    }
  }
}

async function storeUser(
  { system, application: tx }: JointTransaction,
  { application, entries, now }: UserManager,
  { id, passwordHash, body }: { id: string; passwordHash: string | null; body: NewUser },
): Promise<StoredUser> {
  const { definition, generation } = application;
  const shared = definition.sharedUsersModeEnabled
    ? await holdSharedUser(system, definition.organization, body.name)
    : undefined;
  if (definition.sharedUsersModeEnabled && shared === undefined) {
    throw fault('UNKNOWN_SHARED_USER', { name: body.name });
  }
  const { password: _password, ...rest } = body;
  const origin = shared === undefined ? { sharedUserId: null } : { sharedUserId: shared.id, email: shared.email };
  await insertUser(tx, { ...rest, ...origin, id, passwordHash, createdAt: isoTime(now()) }, generation);
  await writeEntries(tx, entries('user.create', id));
  await announceToNodes(tx, { application: definition.id });
  return (await getUser(tx, id))!;
}

/** A user from before team mode has no team yet, and leads none. */
export function userView(user: StoredUser, { teamsModeEnabled }: Definition): ManagementUser {
  return {
    id: user.id,
    name: user.name,
    email: user.email ?? '',
    admin: user.admin,
    apiAccess: user.apiAccess,
    managementApiAccess: user.managementApiAccess,
    organizationManagementApiAccess: user.organizationManagementApiAccess,
    profile: { name: user.profile },
    ...(teamsModeEnabled && user.team !== null ? { team: { name: user.team } } : {}),
    ...(teamsModeEnabled ? { teamLeader: user.teamLeader ?? false } : {}),
    disabled: user.disabled,
  };
}
