// The users of an application: their short list, and their management by users with management access or by the operator.
// In shared-users mode creating a user activates a shared user.

import type { Context, OperatorContext, PeopleDependencies } from '../../context.ts';
import type { ActivityKind, LogEntry } from '../../domain/activity/activity.ts';
import { isoTime } from '../../domain/dates/iso-time.ts';
import type { IdSource } from '../../domain/ids.ts';
import { runsApplication } from '../../domain/people/users.ts';
import { fault } from '../../faults.ts';
import type { JointTransaction, Transaction } from '../../store/database/handles.ts';
import { announceToNodes } from '../../store/nodes/messages.ts';
import { enabledAmong, holdSharedUser } from '../../store/people/shared-users.ts';
import {
  getUser,
  insertUser,
  listUsers,
  listUsersShort,
  lockUser,
  removeUser,
  type StoredUser,
  type UserPage,
  updateUser,
  userConflict,
} from '../../store/people/users.ts';
import type { Definition } from '../../wire/publish-document.ts';
import type { ManagementUser, NewUser, UserShort, UserUpdate } from '../../wire/users.ts';
import { activityEntries, writeEntries } from '../activity/entries.ts';
import { operatorEntry } from '../activity/operator-log.ts';
import { requireApplication } from '../applications/applications.ts';
import { hashForOperator, hashForPeople } from './passwords.ts';
import { readNewUser, readUserUpdate, refuseAccesses } from './user-bodies.ts';

export type { UserPage };

/** What every user of the application may see of the others. */
export const listShort = ({ store }: Context, page: UserPage): Promise<UserShort[]> => listUsersShort(store, page);

/** If the identifier is taken, another is drawn; with 36 random bits even two collisions in a row are unlikely. */
const ID_ATTEMPTS = 5;

export async function list({ store, application }: Context, page: UserPage): Promise<ManagementUser[]> {
  const { definition } = application;
  const users = await listUsers(store, page, definition);
  return users.map((user) => userView(user, definition));
}

export async function get({ store, application }: Context, userId: string): Promise<ManagementUser> {
  return userView(found(await getUser(store, userId), userId), application.definition);
}

export function create(context: Context, input: unknown): Promise<ManagementUser> {
  const { application, people, database, ids, now } = context;
  const body = readNewUser(input, application.definition);
  refuseGrant(context, body);
  return createUser({
    invalidate: people.invalidate,
    hashPassword: (password) => hashForPeople(context, password),
    database,
    ...{ ids, now, application, body },
    entries: (userId) => entriesOf(context, 'user.create', userId),
  });
}

/** The first users of an application, with any rights. */
export async function createByOperator(
  context: OperatorContext,
  applicationId: string,
  input: unknown,
): Promise<ManagementUser> {
  const application = await requireApplication(context, applicationId);
  const { database, invalidate, ids, now } = context;
  return createUser({
    ...{ database, invalidate, ids, now, application },
    hashPassword: (password) => hashForOperator(context, password),
    body: readNewUser(input, application.definition),
    entries: (userId) => operatorEntry(context, 'user.create', application, { userId }),
  });
}

export async function update(context: Context, userId: string, input: unknown): Promise<ManagementUser> {
  const { application, people, database, store } = context;
  const { definition } = application;
  const body = readUserUpdate(input, definition);
  refuseGrant(context, body);
  if (userId === context.caller.id && body.disabled) {
    throw fault('FORBIDDEN_SELF_CHANGE', { reason: 'a user cannot disable themselves' });
  }
  const before = found(await getUser(store, userId), userId);
  const passwordHash = body.password === undefined ? undefined : await hashForPeople(context, body.password);
  const change = { userId, leaves: !runsApplication(body), ranBefore: runsApplication(before) };
  const user = await database.jointTransaction(application.id, async (tx) => {
    const locked = await lockToChange(tx, change);
    const changed = applied(locked, body, passwordHash);
    if (takesOver(locked, changed)) refuseWithoutOrganization(context, locked);
    refuseAccesses(changed);
    await updateUser(tx.application, changed, application.generation);
    await logAndAnnounce(context, tx.application, entriesOf(context, 'user.update', userId));
    return changed;
  });
  people.invalidate({ application: application.id });
  return userView(user, definition);
}

export async function remove(context: Context, userId: string): Promise<void> {
  const { application, people, database, store, now } = context;
  if (application.definition.sharedUsersModeEnabled)
    throw fault('NOT_IN_SHARED_USERS_MODE', undefined, { allow: 'GET, HEAD, PUT' });
  if (userId === context.caller.id) {
    throw fault('FORBIDDEN_SELF_CHANGE', { reason: 'a user cannot delete themselves' });
  }
  const before = found(await getUser(store, userId), userId);
  await database.jointTransaction(application.id, async (tx) => {
    const locked = await lockToChange(tx, { userId, leaves: true, ranBefore: runsApplication(before) });
    refuseWithoutOrganization(context, locked);
    await removeUser(tx.application, userId, isoTime(now()));
    await logAndAnnounce(context, tx.application, entriesOf(context, 'user.delete', userId));
  });
  people.invalidate({ application: application.id });
}

function found(user: StoredUser | undefined, userId: string): StoredUser {
  if (user === undefined) throw fault('USER_NOT_FOUND', { userId });
  return user;
}

/** Organization access is given, or confirmed, only by a caller that has it. */
function refuseGrant({ caller }: Context, body: { organizationManagementApiAccess?: boolean }): void {
  if (body.organizationManagementApiAccess === true && !caller.organizationManagementApiAccess) {
    throw fault('ORGANIZATION_MANAGEMENT_API_ACCESS_REQUIRED');
  }
}

/** Otherwise management access to one application would reach accounts with access beyond it. */
function refuseWithoutOrganization({ caller }: Context, user: StoredUser): void {
  if (user.organizationManagementApiAccess && !caller.organizationManagementApiAccess) {
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

const entriesOf = (context: Context, kind: ActivityKind, userId: string) =>
  activityEntries(context, { kind, member: 'userId' }, [{ userId }]);

async function logAndAnnounce(context: Context, tx: Transaction, entries: readonly LogEntry[]): Promise<void> {
  await writeEntries(tx, entries);
  await announceToNodes(tx, { application: context.application.id });
}

interface Creation extends Pick<Context, 'database'>, Pick<PeopleDependencies, 'invalidate'> {
  readonly hashPassword: (password: string) => Promise<string>;
  readonly ids: IdSource;
  readonly now: () => number;
  /** The definition that the body was checked against, and its generation. */
  readonly application: { readonly definition: Definition; readonly generation: number };
  readonly body: NewUser;
  readonly entries: (userId: string) => readonly LogEntry[];
}

async function createUser(creation: Creation): Promise<ManagementUser> {
  const { body, application, database, ids } = creation;
  const { definition } = application;
  const passwordHash = body.password === undefined ? null : await creation.hashPassword(body.password);
  for (let attempt = 1; ; attempt++) {
    const id = ids.short('u');
    try {
      const user = await database.jointTransaction(definition.id, (tx) =>
        storeUser(tx, { ...creation, id, passwordHash }),
      );
      creation.invalidate({ application: definition.id });
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
  { id, passwordHash, body, application, entries, now }: Creation & { id: string; passwordHash: string | null },
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
  await writeEntries(tx, entries(id));
  await announceToNodes(tx, { application: definition.id });
  return (await getUser(tx, id))!;
}

/** A user from before team mode has no team yet, and leads none. */
function userView(user: StoredUser, { teamsModeEnabled }: Definition): ManagementUser {
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
