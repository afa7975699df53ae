// API tokens of a user, for the user and for who manages users: create (the secret is shown this once), list, revoke.

import type { Context } from '../../context.ts';
import { fault } from '../../faults.ts';
import { listTokens, type TokenView } from '../../store/people/tokens.ts';
import { getUser } from '../../store/people/users.ts';
import type { CreatedToken, NewToken } from '../../wire/tokens.ts';
import { activityEntries } from '../activity/entries.ts';
import { issueToken, type TokenScene, withdrawToken } from './token-issue.ts';

export async function create(context: Context, userId: string, body: NewToken): Promise<CreatedToken> {
  const { caller, signedInBy } = context;
  // A token that got into wrong hands must not be able to make itself a successor.
  if (userId === caller.id && signedInBy === 'token' && !caller.managementApiAccess) throw fault('FORBIDDEN');
  await permit(context, userId);
  return issueToken(sceneOf(context, userId), body);
}

export async function list(context: Context, userId: string): Promise<TokenView[]> {
  await permit(context, userId);
  return listTokens(context.store, userId);
}

export async function revoke(context: Context, userId: string, tokenId: string): Promise<void> {
  await permit(context, userId);
  await withdrawToken(sceneOf(context, userId), tokenId);
}

/** Your own tokens: always. Others' tokens: management access, and organization access where that user has it. */
async function permit({ caller, store }: Context, userId: string): Promise<void> {
  if (userId === caller.id) return;
  if (!caller.managementApiAccess) throw fault('MANAGEMENT_API_ACCESS_REQUIRED');
  const user = await getUser(store, userId);
  if (user === undefined) throw fault('USER_NOT_FOUND', { userId });
  if (user.organizationManagementApiAccess && !caller.organizationManagementApiAccess) {
    throw fault('ORGANIZATION_MANAGEMENT_API_ACCESS_REQUIRED');
  }
}

function sceneOf(context: Context, userId: string): TokenScene {
  const { application, store, now, people } = context;
  const entries: TokenScene['entries'] = (kind, extra) =>
    activityEntries(context, { kind, member: 'tokenId' }, [extra]);
  return { store, now, hear: people.hear, applicationId: application.id, userId, entries };
}
