// Users as the operator creates them: the first of an application, with any rights.

import type { OperatorContext } from '../../context.ts';
import type { ManagementUser } from '../../wire/users.ts';
import { operatorEntry } from '../activity/operator-log.ts';
import { existing } from '../applications/applications.ts';
import { hashForOperator } from './new-passwords.ts';
import { readNewUser } from './user-bodies.ts';
import { createUser } from './user-creation.ts';

export async function create(context: OperatorContext, applicationId: string, input: unknown): Promise<ManagementUser> {
  const application = await existing(context, applicationId);
  const { database, hear, ids, now } = context;
  return createUser({
    ...{ database, hear, ids, now, application },
    hashPassword: (password) => hashForOperator(context, password),
    body: readNewUser(input, application.definition),
    entries: (userId) => operatorEntry(context, 'user.create', application, { userId }),
  });
}
