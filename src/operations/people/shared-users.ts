// Shared users: the people of an organization, managed from any of its applications that has them. What changes of one
// counts at once, because authentication asks for the shared user itself; its applications' own rows follow (settling).

import type { Context } from '../../context.ts';
import type { ActivityKind } from '../../domain/activity/activity.ts';
import { isoTime } from '../../domain/dates/iso-time.ts';
import type { IdSource } from '../../domain/ids.ts';
import { fault } from '../../faults.ts';
import type { JointTransaction, Transaction } from '../../store/database/handles.ts';
import { violatedConstraint } from '../../store/database/sqlstate.ts';
import { announce } from '../../store/nodes/hearing.ts';
import {
  getSharedUser,
  insertSharedUser,
  listSharedUsers,
  lockSharedUser,
  removeSharedUser,
  type SharedUser,
  updateSharedUser,
} from '../../store/people/shared-users.ts';
import { getUser, type UserPage } from '../../store/people/users.ts';
import { assertGeneration, fenceGeneration } from '../../store/records/fence.ts';
import type { ManagementSharedUser, NewSharedUser, SharedUserUpdate } from '../../wire/users.ts';
import { activityEntries, writeEntries } from '../activity/entries.ts';
import { hashForPeople } from './new-passwords.ts';
import { settleSoon } from './settling.ts';
import { readNewSharedUser, readSharedUserUpdate } from './user-bodies.ts';

export async function list(context: Context, page: UserPage): Promise<ManagementSharedUser[]> {
  const users = await listSharedUsers(context.database.system, organizationOf(context), page);
  return users.map(sharedUserView);
}

export async function get(context: Context, sharedUserId: string): Promise<ManagementSharedUser> {
  const organization = organizationOf(context);
  const user = await getSharedUser(context.database.system, sharedUserId);
  return sharedUserView(present(user?.organization === organization ? user : undefined, sharedUserId));
}

export async function create(context: Context, input: unknown): Promise<ManagementSharedUser> {
  const { application, database, ids, now } = context;
  const organization = organizationOf(context);
  const body = readNewSharedUser(input, application.singleSignOn);
  const user = await newSharedUser(
    { hashPassword: (password) => hashForPeople(context, password), ids },
    organization,
    body,
  );
  await database.together(application.id, async (tx) => {
    await refuseStale(context, tx);
    await storeSharedUser(tx.system, user, isoTime(now()));
    await writeEntries(tx.application, entriesOf(context, 'sharedUser.create', user.id));
  });
  return sharedUserView(user);
}

export async function update(context: Context, sharedUserId: string, input: unknown): Promise<ManagementSharedUser> {
  const { application, people, database, now } = context;
  const organization = organizationOf(context);
  const body = readSharedUserUpdate(input, application.singleSignOn);
  // Refused before the password is hashed, which takes its time.
  await get(context, sharedUserId);
  const passwordHash = body.password === undefined ? undefined : await hashForPeople(context, body.password);
  const since = isoTime(now());
  const { before, after } = await database.together(application.id, async (tx) => {
    await refuseStale(context, tx);
    const before = present(await lockSharedUser(tx.system, organization, sharedUserId), sharedUserId);
    if (body.disabled) await refuseSelf(context, tx, sharedUserId);
    const after = applied(before, body, passwordHash);
    const unsettledSince = after.email === before.email ? undefined : since;
    const { text, params } = updateSharedUser({ ...after, unsettledSince });
    await tx.system.rows(text, params);
    await writeEntries(tx.application, entriesOf(context, 'sharedUser.update', sharedUserId));
    if (affectsEntry(before, after)) await announce(tx.system, { sharedUser: sharedUserId });
    return { before, after };
  });
  if (affectsEntry(before, after)) people.hear({ sharedUser: sharedUserId });
  if (after.email !== before.email) await settleSoon(context, { id: sharedUserId, organization, since });
  return sharedUserView(after);
}

export async function remove(context: Context, sharedUserId: string): Promise<void> {
  const { application, people, database, now } = context;
  const organization = organizationOf(context);
  const since = isoTime(now());
  await database.together(application.id, async (tx) => {
    await refuseStale(context, tx);
    present(await lockSharedUser(tx.system, organization, sharedUserId), sharedUserId);
    await refuseSelf(context, tx, sharedUserId);
    const { text, params } = removeSharedUser(sharedUserId, since);
    await tx.system.rows(text, params);
    await writeEntries(tx.application, entriesOf(context, 'sharedUser.delete', sharedUserId));
    await announce(tx.system, { sharedUser: sharedUserId });
  });
  people.hear({ sharedUser: sharedUserId });
  await settleSoon(context, { id: sharedUserId, organization, since });
}

/** The organization whose shared users the application knows; behind the permission, before anything else. */
function organizationOf({ application: { definition } }: Context): string {
  if (!definition.sharedUsersModeEnabled) throw fault('FEATURE_DISABLED', { feature: 'sharedUsers' });
  return definition.organization;
}

/** The mode may have been switched off meanwhile, or the application given to another organization. */
async function refuseStale({ application: { generation } }: Context, { application }: JointTransaction): Promise<void> {
  const { text, params } = fenceGeneration(application.schema);
  assertGeneration(await application.rows(text, params), generation);
}

function present(user: SharedUser | undefined, sharedUserId: string): SharedUser {
  if (user === undefined) throw fault('SHARED_USER_NOT_FOUND', { sharedUserId });
  return user;
}

async function refuseSelf({ caller }: Context, tx: JointTransaction, sharedUserId: string): Promise<void> {
  const own = await getUser(tx.application, caller.id);
  if (own?.sharedUserId === sharedUserId) {
    throw fault('FORBIDDEN_SELF_CHANGE', { reason: 'nobody may disable or delete their own shared user' });
  }
}

/** With another address somebody else may sign on. */
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

/** Whether servers have to forget whom they let in. */
const affectsEntry = (before: SharedUser, after: SharedUser): boolean =>
  before.disabled !== after.disabled || before.passwordHash !== after.passwordHash;

const entriesOf = (context: Context, kind: ActivityKind, sharedUserId: string) =>
  activityEntries(context, { kind, member: 'sharedUserId' }, [{ sharedUserId }]);

export async function newSharedUser(
  { hashPassword, ids }: { readonly hashPassword: (password: string) => Promise<string>; readonly ids: IdSource },
  organization: string,
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

export async function storeSharedUser(tx: Transaction, user: SharedUser, createdAt: string): Promise<void> {
  const { text, params } = insertSharedUser({ ...user, createdAt });
  try {
    await tx.rows(text, params);
  } catch (error) {
    throw violatedConstraint(error) === 'shared_users_name_key' ? fault('USER_NAME_TAKEN', { name: user.name }) : error;
  }
}

export const sharedUserView = ({ id, name, email, disabled }: SharedUser): ManagementSharedUser => ({
  id,
  name,
  email,
  disabled,
});
