// Sessions of the console: opened by a password or by single sign-on.

import { randomBytes } from 'node:crypto';
import type { VisitorContext } from '../context.ts';
import type { PreparedApplication } from '../domain/application.ts';
import { base32hex } from '../domain/base32hex.ts';
import { SECRET_BYTES, secretHash } from '../domain/tokens.ts';
import type { Account } from '../store/accounts.ts';
import { loggedWrite } from '../store/logged-write.ts';
import { insertSession, type SignInMethod } from '../store/sessions.ts';
import { activityEntries } from './activity-entries.ts';
import { isoTime } from './record-drafts.ts';

/** However much it is used. */
export const SESSION_DAYS_MAX = 30;
const DAY_MS = 24 * 60 * 60_000;
const SESSION_ID_BYTES = 10;
const SESSION_ID_CHARACTERS = 16;
const AGENT_LENGTH_MAX = 300;

export interface OpenedSession {
  readonly id: string;
  /** What the cookie holds: `<id>.<secret>`. */
  readonly credentials: string;
}

/** For somebody who has proved who they are. The one place where sessions begin. */
export async function openSession(
  context: VisitorContext & { readonly application: PreparedApplication },
  account: Account,
  { method, agent }: { method: SignInMethod; agent: string },
): Promise<OpenedSession> {
  const { application, source, store, ids, now } = context;
  const id = base32hex(randomBytes(SESSION_ID_BYTES), SESSION_ID_CHARACTERS);
  const secret = randomBytes(SECRET_BYTES).toString('base64url');
  const at = now();
  const session = {
    id,
    userId: account.user.id,
    method,
    epoch: account.epoch,
    secretHash: secretHash(secret),
    createdAt: isoTime(at),
    expiresAt: isoTime(at + SESSION_DAYS_MAX * DAY_MS),
    ip: source.ip,
    agent: agent.slice(0, AGENT_LENGTH_MAX),
  };
  const scene = { application, caller: account.caller, source, ids };
  const entries = activityEntries(scene, { kind: 'session.login', member: 'sessionId' }, [{ sessionId: id }]);
  await loggedWrite(store, insertSession(store.schema, session), entries);
  return { id, credentials: `${id}.${secret}` };
}
