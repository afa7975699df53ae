// Users of an application, as the operator creates the first of them.

import type { OperatorContext } from '../context.ts';
import { passwordWeakness } from '../domain/passwords.ts';
import { newUserProblem } from '../domain/users.ts';
import { fault } from '../faults.ts';
import type { StoredApplication } from '../store/applications.ts';
import type { Transaction } from '../store/db.ts';
import { announce } from '../store/hearing.ts';
import { findSharedUser, type SharedUser } from '../store/shared-users.ts';
import { StaleDefinition, violatedConstraint } from '../store/sqlstate.ts';
import { insertUser, type UserToInsert } from '../store/users.ts';
import type { Definition } from '../wire/publish-document.ts';
import type { ManagementUser, NewUser } from '../wire/users.ts';
import { existing } from './applications.ts';
import { operatorEntry, writeEntries } from './operator-log.ts';

/** A short identifier that is taken is drawn again; 36 random bits make even two in a row unlikely. */
const ID_ATTEMPTS = 5;

export async function create(context: OperatorContext, applicationId: string, body: NewUser): Promise<ManagementUser> {
  const application = await existing(context, applicationId);
  const { definition } = application;
  checkBody(body, definition);
  const shared = definition.sharedUsersModeEnabled ? await sharedUserOf(context, definition, body.name) : undefined;
  const { password, ...rest } = body;
  const email = body.email ?? shared?.email ?? '';
  const user = {
    ...rest,
    email,
    passwordHash: password === undefined ? null : await context.hashPassword(password),
    sharedUserId: shared?.id ?? null,
    createdAt: new Date(context.now()).toISOString(),
  };
  const id = await insertWithFreshId(context, application, user);
  context.hear({ application: applicationId });
  return view({ ...user, id }, definition);
}

function checkBody(body: NewUser, definition: Definition): void {
  const problem = newUserProblem(body, definition);
  if (problem !== undefined) throw fault('INVALID_BODY', { reason: problem.reason, path: `/${problem.property}` });
  const weakness = body.password === undefined ? undefined : passwordWeakness(body.password);
  if (weakness !== undefined) throw fault('WEAK_PASSWORD', { property: 'password', reason: weakness });
  if (!definition.profiles.includes(body.profile.name)) throw fault('UNKNOWN_PROFILE', { name: body.profile.name });
  if (body.team !== undefined && !definition.teams.includes(body.team.name)) {
    throw fault('UNKNOWN_TEAM', { name: body.team.name });
  }
}

async function sharedUserOf(context: OperatorContext, { organization }: Definition, name: string): Promise<SharedUser> {
  const shared = await findSharedUser(context.database.system, organization, name);
  if (shared === undefined) throw fault('UNKNOWN_SHARED_USER', { name });
  return shared;
}

async function insertWithFreshId(
  context: OperatorContext,
  application: StoredApplication,
  user: Omit<UserToInsert, 'id'>,
): Promise<string> {
  const { id: applicationId } = application.definition;
  for (let attempt = 1; ; attempt++) {
    const id = context.ids.short('u');
    try {
      await context.database.application(applicationId).transaction(async (tx: Transaction) => {
        await writeEntries(tx, operatorEntry(context, 'user.create', application, { userId: id }));
        const insert = insertUser(tx.schema, { ...user, id }, application.generation);
        if ((await tx.rows(insert.text, insert.params)).length === 0) throw new StaleDefinition();
        await announce(tx, { application: applicationId });
      });
      return id;
    } catch (error) {
      const constraint = violatedConstraint(error);
      if (constraint === 'users_shared_user_id_key') throw fault('ALREADY_ACTIVE', { name: user.name });
      if (constraint === 'users_name_key') {
        throw user.sharedUserId === null
          ? fault('USER_NAME_TAKEN', { name: user.name })
          : fault('ALREADY_ACTIVE', { name: user.name });
      }
      if (constraint !== 'users_pkey' || attempt === ID_ATTEMPTS) throw error;
    }
  }
}

function view(user: Omit<UserToInsert, 'passwordHash'> & { email: string }, definition: Definition): ManagementUser {
  return {
    id: user.id,
    name: user.name,
    email: user.email,
    admin: user.admin,
    apiAccess: user.apiAccess,
    managementApiAccess: user.managementApiAccess,
    organizationManagementApiAccess: user.organizationManagementApiAccess ?? false,
    profile: { name: user.profile.name },
    ...(definition.teamsModeEnabled && user.team !== undefined
      ? { team: { name: user.team.name }, teamLeader: user.teamLeader ?? false }
      : {}),
    disabled: false,
  };
}
