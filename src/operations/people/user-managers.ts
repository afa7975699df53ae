// Who manages the users of an application: one of them with management access, or the operator. The operations on users
// are the same for both; here is what differs.

import type { Context, OperatorContext, PeopleDependencies } from '../../context.ts';
import type { LogEntry } from '../../domain/activity/activity.ts';
import type { Caller } from '../../domain/people/access.ts';
import type { Reader } from '../../store/database/handles.ts';
import type { ActivityKind } from '../../wire/activity-kinds.ts';
import type { Definition } from '../../wire/publish-document.ts';
import { activityEntries } from '../activity/entries.ts';
import { operatorEntry } from '../activity/operator-log.ts';
import { requireApplication } from '../applications/applications.ts';
import { hashForOperator, hashForPeople } from './passwords.ts';

export interface UserManager extends Pick<Context, 'database' | 'ids' | 'now'>, Pick<PeopleDependencies, 'invalidate'> {
  /** The definition that bodies are checked against, and its generation. */
  readonly application: { readonly id: string; readonly definition: Definition; readonly generation: number };
  readonly store: Reader;
  readonly hashPassword: (password: string) => Promise<string>;
  readonly entries: (kind: ActivityKind, userId: string) => readonly LogEntry[];
  /** Whether the operator key proved who it is. */
  readonly hasKey: boolean;
  /** Undefined for the operator, who may grant any right and change any user. */
  readonly caller: Caller | undefined;
}

export function callerAsManager(context: Context): UserManager {
  const { application, caller, store, database, ids, now, people } = context;
  return {
    ...{ application, caller, store, database, ids, now },
    invalidate: people.invalidate,
    hasKey: false,
    hashPassword: (password) => hashForPeople(context, password),
    entries: (kind, userId) => activityEntries(context, { kind, member: 'userId' }, [{ userId }]),
  };
}

export async function operatorAsManager(context: OperatorContext, applicationId: string): Promise<UserManager> {
  const { database, ids, now, invalidate } = context;
  const stored = await requireApplication(context, applicationId);
  const { definition, generation } = stored;
  return {
    ...{ database, ids, now, invalidate },
    application: { id: applicationId, definition, generation },
    hasKey: context.namedUser === undefined,
    caller: undefined,
    store: database.application(applicationId),
    hashPassword: (password) => hashForOperator(context, password),
    entries: (kind, userId) => operatorEntry(context, kind, stored, { userId }),
  };
}
