// API tokens of a user: create (the secret is shown this once), list, revoke.

import { randomBytes } from 'node:crypto';
import type { OperatorContext } from '../context.ts';
import { base32hex } from '../domain/base32hex.ts';
import { SECRET_BYTES, secretHash } from '../domain/tokens.ts';
import { fault } from '../faults.ts';
import { announce, announcement } from '../store/hearing.ts';
import { insertToken, listTokens, revokeToken, type TokenView } from '../store/tokens.ts';
import { getUser } from '../store/users.ts';
import type { NewToken } from '../wire/operator.ts';
import { existing } from './applications.ts';
import { operatorEntry, writeEntries } from './operator-log.ts';

const TOKEN_ID_BYTES = 10;
const TOKEN_ID_CHARACTERS = 16;

export interface Owner {
  readonly applicationId: string;
  readonly userId: string;
}

async function owned(context: OperatorContext, { applicationId, userId }: Owner) {
  const application = await existing(context, applicationId);
  const store = context.database.application(applicationId);
  if ((await getUser(store, userId)) === undefined) throw fault('USER_NOT_FOUND', { userId });
  return { application, store };
}

export async function create(context: OperatorContext, owner: Owner, { name }: NewToken) {
  if (/\p{Cc}|\p{Cs}/u.test(name)) {
    throw fault('INVALID_BODY', { reason: 'must not contain control characters', path: '/name' });
  }
  const { application, store } = await owned(context, owner);
  const id = base32hex(randomBytes(TOKEN_ID_BYTES), TOKEN_ID_CHARACTERS);
  const secret = randomBytes(SECRET_BYTES).toString('base64url');
  const token = {
    id,
    userId: owner.userId,
    name,
    secretHash: secretHash(secret),
    createdAt: new Date(context.now()).toISOString(),
  };
  await store.transaction(async (tx) => {
    await writeEntries(tx, operatorEntry(context, 'token.create', application, { tokenId: id, userId: owner.userId }));
    await tx.last([insertToken(tx.schema, token), announcement({ application: owner.applicationId })]);
  });
  context.hear({ application: owner.applicationId });
  return { id, name, token: `${id}.${secret}` };
}

export async function list(context: OperatorContext, owner: Owner): Promise<TokenView[]> {
  const { store } = await owned(context, owner);
  return listTokens(store, owner.userId);
}

export async function revoke(context: OperatorContext, owner: Owner, tokenId: string): Promise<void> {
  const { application, store } = await owned(context, owner);
  await store.transaction(async (tx) => {
    const now = new Date(context.now()).toISOString();
    if (!(await revokeToken(tx, owner.userId, tokenId, now))) throw fault('TOKEN_NOT_FOUND', { tokenId });
    await writeEntries(tx, operatorEntry(context, 'token.revoke', application, { tokenId, userId: owner.userId }));
    await announce(tx, { application: owner.applicationId });
  });
  context.hear({ application: owner.applicationId });
}
