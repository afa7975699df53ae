// Making and revoking API tokens, for whoever may: the rules of a token and the storing of it.

import { randomBytes } from 'node:crypto';
import type { Context } from '../../context.ts';
import type { ActivityKind, LogEntry } from '../../domain/activity/activity.ts';
import { base32hex } from '../../domain/base32hex.ts';
import { isoTime } from '../../domain/dates/iso-time.ts';
import { SECRET_BYTES, secretHash } from '../../domain/people/tokens.ts';
import { readRfc3339 } from '../../domain/values/date-time.ts';
import { fault } from '../../faults.ts';
import { announce } from '../../store/nodes/hearing.ts';
import { holdTokens, insertToken, revokeToken } from '../../store/people/tokens.ts';
import type { CreatedToken, NewToken } from '../../wire/tokens.ts';
import { writeEntries } from '../activity/entries.ts';

const TOKEN_ID_BYTES = 10;
const TOKEN_ID_CHARACTERS = 16;
/** Of one that is not ours, and may be as long as an address. */
const TOKEN_ID_SHOWN_MAX = 64;
/** Of one user that are not revoked. */
const TOKENS_MAX = 100;

/** Where, for whom, and in whose name it is told to the log. */
export interface TokenScene extends Pick<Context, 'store' | 'now'>, Pick<Context['people'], 'hear'> {
  readonly applicationId: string;
  readonly userId: string;
  readonly entries: (kind: ActivityKind, extra: Readonly<Record<string, string>>) => readonly LogEntry[];
}

export async function issueToken(scene: TokenScene, { name, expiresAt }: NewToken): Promise<CreatedToken> {
  const { store, now, hear, applicationId, userId, entries } = scene;
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
    await announce(tx, { application: applicationId });
  });
  hear({ application: applicationId });
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

export async function withdrawToken(scene: TokenScene, tokenId: string): Promise<void> {
  const { store, now, hear, applicationId, userId, entries } = scene;
  await store.transaction(async (tx) => {
    if (!(await revokeToken(tx, { userId, tokenId, at: isoTime(now()) }))) {
      throw fault('TOKEN_NOT_FOUND', { tokenId: tokenId.slice(0, TOKEN_ID_SHOWN_MAX) });
    }
    await writeEntries(tx, entries('token.revoke', { tokenId, userId }));
    await announce(tx, { application: applicationId });
  });
  hear({ application: applicationId });
}
