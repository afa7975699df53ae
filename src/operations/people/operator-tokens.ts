// API tokens as the operator makes them: for everybody.

import type { OperatorContext } from '../../context.ts';
import { fault } from '../../faults.ts';
import { listTokens, type TokenView } from '../../store/people/tokens.ts';
import { getUser } from '../../store/people/users.ts';
import type { CreatedToken, NewToken } from '../../wire/tokens.ts';
import { operatorEntry } from '../activity/operator-log.ts';
import { existing } from '../applications/applications.ts';
import { issueToken, type TokenScene, withdrawToken } from './token-issue.ts';

export interface Owner {
  readonly applicationId: string;
  readonly userId: string;
}

async function sceneOf(context: OperatorContext, { applicationId, userId }: Owner): Promise<TokenScene> {
  const application = await existing(context, applicationId);
  const store = context.database.application(applicationId);
  if ((await getUser(store, userId)) === undefined) throw fault('USER_NOT_FOUND', { userId });
  const { now, hear } = context;
  const entries: TokenScene['entries'] = (kind, extra) => operatorEntry(context, kind, application, extra);
  return { store, now, hear, applicationId, userId, entries };
}

export async function create(context: OperatorContext, owner: Owner, body: NewToken): Promise<CreatedToken> {
  return issueToken(await sceneOf(context, owner), body);
}

export async function list(context: OperatorContext, owner: Owner): Promise<TokenView[]> {
  const { store, userId } = await sceneOf(context, owner);
  return listTokens(store, userId);
}

export async function revoke(context: OperatorContext, owner: Owner, tokenId: string): Promise<void> {
  await withdrawToken(await sceneOf(context, owner), tokenId);
}
