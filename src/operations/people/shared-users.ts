// Shared users: the people of an organization, managed from any of its applications in shared-users mode. A change counts at
// once, because authentication reads the shared user itself; the users in the applications follow (settling).

import type { Context, OperatorContext } from '../../context.ts';
import type { ActivityKind } from '../../domain/activity/activity.ts';
import { isoTime } from '../../domain/dates/iso-time.ts';
import type { IdSource } from '../../domain/ids.ts';
import { fault } from '../../faults.ts';
import type { JointTransaction, Transaction } from '../../store/database/handles.ts';
import { announceToNodes } from '../../store/nodes/messages.ts';
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
import { getUser, type UserPage } from '../../store/people/users.ts';
import { assertGeneration, fenceGeneration } from '../../store/records/fence.ts';
import type { ManagementSharedUser, NewSharedUser, SharedUserUpdate } from '../../wire/users.ts';
import { activityEntries, writeEntries } from '../activity/entries.ts';
import { existingOrganization } from './organizations.ts';
import { hashForOperator, hashForPeople } from './passwords.ts';
import { settleSoon } from './settling.ts';
import { readNewSharedUser, readSharedUserUpdate } from './user-bodies.ts';

export async function list(context: Context, page: UserPage): Promise<ManagementSharedUser[]> {
  const users = await listSharedUsers(context.database.system, organizationOf(context), page);
  return users.map(sharedUserView);
}

export async function get(context: Context, sharedUserId: string): Promise<ManagementSharedUser> {
  const organization = organizationOf(context);
  const user = await getSharedUser(context.database.system, sharedUserId);
  return sharedUserView(found(user?.organization === organization ? user : undefined, sharedUserId));
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
  await database.jointTransaction(application.id, async (tx) => {
    await refuseStale(context, tx);
    await storeSharedUser(tx.system, user, isoTime(now()));
    await writeEntries(tx.application, entriesOf(context, 'sharedUser.create', user.id));
  });
  return sharedUserView(user);
}

/** The first shared users of an organization. */
export async function createByOperator(
  context: OperatorContext,
  organizationName: string,
  input: unknown,
): Promise<ManagementSharedUser> {
  const organization = await existingOrganization(context, organizationName);
  const body = readNewSharedUser(input, organization.singleSignOn !== null);
  const hashPassword = (password: string) => hashForOperator(context, password);
  const user = await newSharedUser({ ids: context.ids, hashPassword }, organization.name, body);
  await context.database.system.transaction((tx) => storeSharedUser(tx, user, isoTime(context.now())));
  return sharedUserView(user);
}

export async function update(context: Context, sharedUserId: string, input: unknown): Promise<ManagementSharedUser> {
  const { application, people, database, now } = context;
  const organization = organizationOf(context);
  const body = readSharedUserUpdate(input, application.singleSignOn);
  // An unknown shared user is refused before the slow hash.
  await get(context, sharedUserId);
  const passwordHash = body.password === undefined ? undefined : await hashForPeople(context, body.password);
  const since = isoTime(now());
  const { before, after } = await database.jointTransaction(application.id, async (tx) => {
    await refuseStale(context, tx);
    const before = found(await lockSharedUser(tx.system, organization, sharedUserId), sharedUserId);
    if (body.disabled) await refuseSelf(context, tx, sharedUserId);
    const after = applied(before, body, passwordHash);
    const unsettledSince = after.email === before.email ? undefined : since;
    await updateSharedUser(tx.system, { ...after, unsettledSince });
    await writeEntries(tx.application, entriesOf(context, 'sharedUser.update', sharedUserId));
    if (affectsEntry(before, after)) await announceToNodes(tx.system, { sharedUser: sharedUserId });
    return { before, after };
  });
  if (affectsEntry(before, after)) people.invalidate({ sharedUser: sharedUserId });
  if (after.email !== before.email) await settleSoon(context, { id: sharedUserId, organization, since });
  return sharedUserView(after);
}

export async function remove(context: Context, sharedUserId: string): Promise<void> {
  const { application, people, database, now } = context;
  const organization = organizationOf(context);
  const since = isoTime(now());
  await database.jointTransaction(application.id, async (tx) => {
    await refuseStale(context, tx);
    found(await lockSharedUser(tx.system, organization, sharedUserId), sharedUserId);
    await refuseSelf(context, tx, sharedUserId);
    await removeSharedUser(tx.system, sharedUserId, since);
    await writeEntries(tx.application, entriesOf(context, 'sharedUser.delete', sharedUserId));
    await announceToNodes(tx.system, { sharedUser: sharedUserId });
  });
  people.invalidate({ sharedUser: sharedUserId });
  await settleSoon(context, { id: sharedUserId, organization, since });
}

/** The application's organization. Checked after the permission, before anything else. */
function organizationOf({ application: { definition } }: Context): string {
  if (!definition.sharedUsersModeEnabled) throw fault('FEATURE_DISABLED', { feature: 'sharedUsers' });
  return definition.organization;
}

/** Fails when the mode was switched off meanwhile, or the application moved to another organization. */
async function refuseStale({ application: { generation } }: Context, { application }: JointTransaction): Promise<void> {
  const { text, params } = fenceGeneration(application.schema);
  assertGeneration(await application.rows(text, params), generation);
}

function found(user: SharedUser | undefined, sharedUserId: string): SharedUser {
  if (user === undefined) throw fault('SHARED_USER_NOT_FOUND', { sharedUserId });
  return user;
}

async function refuseSelf({ caller }: Context, tx: JointTransaction, sharedUserId: string): Promise<void> {
  const own = await getUser(tx.application, caller.id);
  if (own?.sharedUserId === sharedUserId) {
    throw fault('FORBIDDEN_SELF_CHANGE', { reason: 'a shared user cannot disable or delete themselves' });
  }
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

const entriesOf = (context: Context, kind: ActivityKind, sharedUserId: string) =>
  activityEntries(context, { kind, member: 'sharedUserId' }, [{ sharedUserId }]);

async function newSharedUser(
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
