// API tokens of a user: create (the secret is shown this once), list, revoke. By the user, by users with management access,
// and by the operator for every user.

import { randomBytes } from 'node:crypto';
import type { Context, OperatorContext } from '../../context.ts';
import type { LogEntry } from '../../domain/activity/activity.ts';
import { base32hex } from '../../domain/base32hex.ts';
import { isoTime } from '../../domain/dates/iso-time.ts';
import { SECRET_BYTES, secretHash } from '../../domain/people/tokens.ts';
import { readRfc3339 } from '../../domain/values/date-time.ts';
import { fault } from '../../faults.ts';
import { announceToNodes } from '../../store/nodes/messages.ts';
import { holdTokens, insertToken, listAllTokens, listTokens, revokeToken } from '../../store/people/tokens.ts';
import { getUser } from '../../store/people/users.ts';
import type { ActivityKind } from '../../wire/activity-kinds.ts';
import type { CreatedToken, NewToken, OwnedTokenView, TokenView } from '../../wire/tokens.ts';
import { activityEntries, writeEntries } from '../activity/entries.ts';
import { operatorEntry } from '../activity/operator-log.ts';
import { requireApplication } from '../applications/applications.ts';
import { permitFor } from './managed-user.ts';

const TOKEN_ID_BYTES = 10;
const TOKEN_ID_CHARACTERS = 16;
/** Bounds an unknown identifier in a reply: it may be as long as a URL. */
const TOKEN_ID_SHOWN_MAX = 64;
/** Tokens of one user that are not revoked. */
const TOKENS_MAX = 100;

export async function create(context: Context, userId: string, body: NewToken): Promise<CreatedToken> {
  const { caller, signedInBy } = context;
  // A stolen token must not be able to create its successor.
  if (userId === caller.id && signedInBy === 'token' && !caller.managementApiAccess) throw fault('FORBIDDEN');
  await permitFor(context, userId);
  return issueToken(sceneOf(context, userId), body);
}

export async function list(context: Context, userId: string): Promise<TokenView[]> {
  await permitFor(context, userId);
  return listTokens(context.store, userId);
}

export async function revoke(context: Context, userId: string, tokenId: string): Promise<void> {
  await permitFor(context, userId);
  await withdrawToken(sceneOf(context, userId), tokenId);
}

function sceneOf(context: Context, userId: string): TokenScene {
  const { application, store, now, people } = context;
  const entries: TokenScene['entries'] = (kind, extra) =>
    activityEntries(context, { kind, member: 'tokenId' }, [extra]);
  return { store, now, invalidate: people.invalidate, applicationId: application.id, userId, entries };
}

export interface TokenOwner {
  readonly applicationId: string;
  readonly userId: string;
}

async function operatorSceneOf(context: OperatorContext, { applicationId, userId }: TokenOwner): Promise<TokenScene> {
  const application = await requireApplication(context, applicationId);
  const store = context.database.application(applicationId);
  if ((await getUser(store, userId)) === undefined) throw fault('USER_NOT_FOUND', { userId });
  const { now, invalidate } = context;
  const entries: TokenScene['entries'] = (kind, extra) => operatorEntry(context, kind, application, extra);
  return { store, now, invalidate, applicationId, userId, entries };
}

export async function createByOperator(
  context: OperatorContext,
  owner: TokenOwner,
  body: NewToken,
): Promise<CreatedToken> {
  return issueToken(await operatorSceneOf(context, owner), body);
}

export async function listByOperator(context: OperatorContext, owner: TokenOwner): Promise<TokenView[]> {
  const { store, userId } = await operatorSceneOf(context, owner);
  return listTokens(store, userId);
}

/** The tokens of all users of the application. */
export async function listOfApplication(
  context: OperatorContext,
  applicationId: string,
  page: { readonly skip: number; readonly limit: number },
): Promise<OwnedTokenView[]> {
  await requireApplication(context, applicationId);
  return listAllTokens(context.database.application(applicationId), page);
}

export async function revokeByOperator(context: OperatorContext, owner: TokenOwner, tokenId: string): Promise<void> {
  await withdrawToken(await operatorSceneOf(context, owner), tokenId);
}

/** Where the token is stored, for which user, and the log entries in the name of the caller. */
interface TokenScene extends Pick<Context, 'store' | 'now'>, Pick<Context['people'], 'invalidate'> {
  readonly applicationId: string;
  readonly userId: string;
  readonly entries: (kind: ActivityKind, extra: Readonly<Record<string, string>>) => readonly LogEntry[];
}

async function issueToken(scene: TokenScene, { name, expiresAt }: NewToken): Promise<CreatedToken> {
  const { store, now, invalidate, applicationId, userId, entries } = scene;
  if (/\p{Cc}|\p{Cs}/u.test(name)) {
    throw fault('INVALID_BODY', { reason: 'must not contain control characters', path: '/name' });
  }
  const at = now();
  const id = base32hex(randomBytes(TOKEN_ID_BYTES), TOKEN_ID_CHARACTERS);
  const secret = randomBytes(SECRET_BYTES).toString('base64url');
  const expiry = expiresAt === undefined ? undefined : readExpiry(expiresAt, at);
  const token = { id, userId, name, secretHash: secretHash(secret), createdAt: isoTime(at), expiresAt: expiry };
  await store.transaction(async (tx) => {
    const held = await holdTokens(tx, userId);
    if (held === undefined) throw fault('USER_NOT_FOUND', { userId });
    if (held >= TOKENS_MAX) {
      const reason = `has ${TOKENS_MAX} tokens already, of which one has to be revoked first`;
      throw fault('INVALID_PARAMETER', { parameter: 'userId', reason });
    }
    const { text, params } = insertToken(tx.schema, token);
    await tx.rows(text, params);
    await writeEntries(tx, entries('token.create', { tokenId: id, userId }));
    await announceToNodes(tx, { application: applicationId });
  });
  invalidate({ application: applicationId });
  const { createdAt } = token;
  return { id, name, token: `${id}.${secret}`, createdAt, ...(expiry === undefined ? {} : { expiresAt: expiry }) };
}

function readExpiry(text: string, now: number): string {
  const instant = readRfc3339(text);
  if (!('milliseconds' in instant) || instant.milliseconds <= now) {
    throw fault('INVALID_BODY', {
      reason: 'must be a time in the future as RFC 3339 has it, such as 2031-05-01T00:00:00Z',
      path: '/expiresAt',
    });
  }
  return isoTime(instant.milliseconds);
}

async function withdrawToken(scene: TokenScene, tokenId: string): Promise<void> {
  const { store, now, invalidate, applicationId, userId, entries } = scene;
  await store.transaction(async (tx) => {
    if (!(await revokeToken(tx, { userId, tokenId, at: isoTime(now()) }))) {
      throw fault('TOKEN_NOT_FOUND', { tokenId: tokenId.slice(0, TOKEN_ID_SHOWN_MAX) });
    }
    await writeEntries(tx, entries('token.revoke', { tokenId, userId }));
    await announceToNodes(tx, { application: applicationId });
  });
  invalidate({ application: applicationId });
}
