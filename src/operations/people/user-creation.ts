// A new user in the database, whoever asked for it: the one place where users come into being.

import type { Context, PeopleMeans } from '../../context.ts';
import type { LogEntry } from '../../domain/activity/activity.ts';
import { isoTime } from '../../domain/dates/iso-time.ts';
import type { IdSource } from '../../domain/ids.ts';
import { fault } from '../../faults.ts';
import type { JointTransaction } from '../../store/database/handles.ts';
import { StaleDefinition, violatedConstraint } from '../../store/database/sqlstate.ts';
import { announce } from '../../store/nodes/hearing.ts';
import { holdSharedUser } from '../../store/people/shared-users.ts';
import { getUser, insertUser, type StoredUser } from '../../store/people/users.ts';
import type { Definition } from '../../wire/publish-document.ts';
import type { ManagementUser, NewUser } from '../../wire/users.ts';
import { writeEntries } from '../activity/entries.ts';

/** A short identifier that is taken is drawn again; 36 random bits make even two in a row unlikely. */
const ID_ATTEMPTS = 5;

export interface Creation extends Pick<Context, 'database'>, Pick<PeopleMeans, 'hear'> {
  readonly hashPassword: (password: string) => Promise<string>;
  readonly ids: IdSource;
  readonly now: () => number;
  /** The definition that the body was checked against, and its generation. */
  readonly application: { readonly definition: Definition; readonly generation: number };
  readonly body: NewUser;
  readonly entries: (userId: string) => readonly LogEntry[];
}

export async function createUser(creation: Creation): Promise<ManagementUser> {
  const { body, application, database, ids } = creation;
  const { definition } = application;
  const passwordHash = body.password === undefined ? null : await creation.hashPassword(body.password);
  for (let attempt = 1; ; attempt++) {
    const id = ids.short('u');
    try {
      const user = await database.together(definition.id, (tx) => insert(tx, { ...creation, id, passwordHash }));
      creation.hear({ application: definition.id });
      return userView(user, definition);
    } catch (error) {
      const constraint = violatedConstraint(error);
      if (constraint === 'users_shared_user_id_key') throw fault('ALREADY_ACTIVE', { name: body.name });
      if (constraint === 'users_name_key') {
        throw fault(definition.sharedUsersModeEnabled ? 'ALREADY_ACTIVE' : 'USER_NAME_TAKEN', { name: body.name });
      }
      if (constraint !== 'users_pkey' || attempt === ID_ATTEMPTS) throw error;
    }
  }
}

async function insert(
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
  const statement = insertUser(
    tx.schema,
    { ...rest, ...origin, id, passwordHash, createdAt: isoTime(now()) },
    generation,
  );
  if ((await tx.rows(statement.text, statement.params)).length === 0) throw new StaleDefinition();
  await writeEntries(tx, entries(id));
  await announce(tx, { application: definition.id });
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
