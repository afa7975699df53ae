// The management of an application's users: list, get, create (in shared-users mode activate), update, delete.

import type { Context } from '../../context.ts';
import type { ActivityKind, LogEntry } from '../../domain/activity/activity.ts';
import { isoTime } from '../../domain/dates/iso-time.ts';
import { runsApplication } from '../../domain/people/users.ts';
import { fault } from '../../faults.ts';
import type { JointTransaction, Transaction } from '../../store/database/handles.ts';
import { StaleDefinition } from '../../store/database/sqlstate.ts';
import { announce } from '../../store/nodes/hearing.ts';
import { enabledAmong } from '../../store/people/shared-users.ts';
import {
  getUser,
  listUsers,
  lockUser,
  removeUser,
  type StoredUser,
  type UserPage,
  updateUser,
} from '../../store/people/users.ts';
import type { ManagementUser, UserUpdate } from '../../wire/users.ts';
import { activityEntries, writeEntries } from '../activity/entries.ts';
import { hashForPeople } from './new-passwords.ts';
import { readNewUser, readUserUpdate, refuseAccesses } from './user-bodies.ts';
import { createUser, userView } from './user-creation.ts';

export async function list({ store, application }: Context, page: UserPage): Promise<ManagementUser[]> {
  const { definition } = application;
  const users = await listUsers(store, page, definition);
  return users.map((user) => userView(user, definition));
}

export async function get({ store, application }: Context, userId: string): Promise<ManagementUser> {
  return userView(present(await getUser(store, userId), userId), application.definition);
}

export function create(context: Context, input: unknown): Promise<ManagementUser> {
  const { application, people, database, ids, now } = context;
  const body = readNewUser(input, application.definition);
  refuseGrant(context, body);
  return createUser({
    hear: people.hear,
    hashPassword: (password) => hashForPeople(context, password),
    database,
    ...{ ids, now, application, body },
    entries: (userId) => entriesOf(context, 'user.create', userId),
  });
}

export async function update(context: Context, userId: string, input: unknown): Promise<ManagementUser> {
  const { application, people, database, store } = context;
  const { definition } = application;
  const body = readUserUpdate(input, definition);
  refuseGrant(context, body);
  if (userId === context.caller.id && body.disabled) {
    throw fault('FORBIDDEN_SELF_CHANGE', { reason: 'nobody may disable themselves' });
  }
  const before = present(await getUser(store, userId), userId);
  const passwordHash = body.password === undefined ? undefined : await hashForPeople(context, body.password);
  const change = { userId, leaves: !runsApplication(body), ranBefore: runsApplication(before) };
  const user = await database.together(application.id, async (tx) => {
    const locked = await lockToChange(tx, change);
    const changed = applied(locked, body, passwordHash);
    if (takesOver(locked, changed)) refuseWithoutOrganization(context, locked);
    refuseAccesses(changed);
    const { text, params } = updateUser(tx.application.schema, changed, application.generation);
    if ((await tx.application.rows(text, params)).length === 0) throw new StaleDefinition();
    await tell(context, tx.application, entriesOf(context, 'user.update', userId));
    return changed;
  });
  people.hear({ application: application.id });
  return userView(user, definition);
}

export async function remove(context: Context, userId: string): Promise<void> {
  const { application, people, database, store, now } = context;
  if (application.definition.sharedUsersModeEnabled)
    throw fault('NOT_IN_SHARED_USERS_MODE', undefined, { allow: 'GET, HEAD, PUT' });
  if (userId === context.caller.id) {
    throw fault('FORBIDDEN_SELF_CHANGE', { reason: 'nobody may delete themselves' });
  }
  const before = present(await getUser(store, userId), userId);
  await database.together(application.id, async (tx) => {
    const locked = await lockToChange(tx, { userId, leaves: true, ranBefore: runsApplication(before) });
    refuseWithoutOrganization(context, locked);
    await removeUser(tx.application, userId, isoTime(now()));
    await tell(context, tx.application, entriesOf(context, 'user.delete', userId));
  });
  people.hear({ application: application.id });
}

function present(user: StoredUser | undefined, userId: string): StoredUser {
  if (user === undefined) throw fault('USER_NOT_FOUND', { userId });
  return user;
}

/** What one does not have one cannot give, nor confirm. */
function refuseGrant({ caller }: Context, body: { organizationManagementApiAccess?: boolean }): void {
  if (body.organizationManagementApiAccess === true && !caller.organizationManagementApiAccess) {
    throw fault('ORGANIZATION_MANAGEMENT_API_ACCESS_REQUIRED');
  }
}

/** Else management access to one application would be a way to the accounts that reach beyond it. */
function refuseWithoutOrganization({ caller }: Context, user: StoredUser): void {
  if (user.organizationManagementApiAccess && !caller.organizationManagementApiAccess) {
    throw fault('ORGANIZATION_MANAGEMENT_API_ACCESS_REQUIRED');
  }
}

/** All but profile and team decides who gets in, and with which rights. */
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

/** What a mode leaves out of the body stays what it was. With another address somebody else may sign on. */
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
  /** Whether, behind the change, the user cannot run the application. */
  readonly leaves: boolean;
  /** Whether, by what was read before, the user could: then all who can are locked along with it. */
  readonly ranBefore: boolean;
}

/** The user, locked; refused where the change would leave nobody who can run the application. */
async function lockToChange(
  { system, application }: JointTransaction,
  { userId, leaves, ranBefore }: Change,
): Promise<StoredUser> {
  const andWhoRun = leaves && ranBefore;
  const { user, whoRun } = await lockUser(application, userId, { andWhoRun });
  const locked = present(user, userId);
  if (!leaves || !runsApplication(locked)) return locked;
  // The user gained these rights after we read them, so lock the others now. This order can deadlock; the transaction is
  // then retried.
  const all = andWhoRun ? whoRun : (await lockUser(application, userId, { andWhoRun: true })).whoRun;
  const others = all.filter(({ id }) => id !== userId);
  const shared = others.flatMap(({ sharedUserId }) => sharedUserId ?? []);
  const enabled = shared.length === 0 ? new Set<string>() : await enabledAmong(system, shared);
  if (others.some(({ sharedUserId }) => sharedUserId === null || enabled.has(sharedUserId))) return locked;
  throw fault('FORBIDDEN_SELF_CHANGE', { reason: 'somebody has to stay who is an admin with management access' });
}

const entriesOf = (context: Context, kind: ActivityKind, userId: string) =>
  activityEntries(context, { kind, member: 'userId' }, [{ userId }]);

async function tell(context: Context, tx: Transaction, entries: readonly LogEntry[]): Promise<void> {
  await writeEntries(tx, entries);
  await announce(tx, { application: context.application.id });
}
