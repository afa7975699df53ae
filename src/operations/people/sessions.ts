// Sessions of the console: opened by a password or by single sign-on, shown, and ended.

import { randomBytes } from 'node:crypto';
import type { Context, PeopleDependencies, StolenSession, VisitorContext } from '../../context.ts';
import { base32hex } from '../../domain/base32hex.ts';
import { isoTime } from '../../domain/dates/iso-time.ts';
import type { PreparedApplication } from '../../domain/definition/application.ts';
import type { Caller } from '../../domain/people/access.ts';
import { accountKey } from '../../domain/people/passwords.ts';
import { SESSION_DAYS_MAX, sessionEpoch } from '../../domain/people/sessions.ts';
import { readToken, SECRET_BYTES, secretHash, secretMatches } from '../../domain/people/tokens.ts';
import { foldText } from '../../domain/search/fold.ts';
import { fault, notSignedIn } from '../../faults.ts';
import { loggedWrite } from '../../store/activity/logged-write.ts';
import type { Reader } from '../../store/database/handles.ts';
import { type Account, findAccount, type Named, presentHash } from '../../store/people/accounts.ts';
import { isOperator } from '../../store/people/operators.ts';
import {
  endSession,
  getSession,
  insertSession,
  type SignInMethod,
  type StoredSession,
  sessionsBeyond,
} from '../../store/people/sessions.ts';
import { getUser } from '../../store/people/users.ts';
import type { SessionView, SignIn } from '../../wire/sessions.ts';
import { activityEntries } from '../activity/entries.ts';

const DAY_MS = 24 * 60 * 60_000;
const SESSION_ID_BYTES = 10;
const SESSION_ID_CHARACTERS = 16;
const AGENT_LENGTH_MAX = 300;
/** Per user; beyond it the oldest sessions end. */
const SESSIONS_MAX = 50;

export interface OpenedSession {
  readonly id: string;
  /** What the cookie holds: `<id>.<secret>`. */
  readonly credentials: string;
}

/** For an authenticated account. The only place where sessions begin. */
export async function openSession(
  context: VisitorContext & { readonly application: PreparedApplication },
  account: Account,
  { method, agent }: { method: SignInMethod; agent: string },
): Promise<OpenedSession> {
  const { application, source, store, ids, people, now } = context;
  const { caller } = account;
  const id = base32hex(randomBytes(SESSION_ID_BYTES), SESSION_ID_CHARACTERS);
  const secret = randomBytes(SECRET_BYTES).toString('base64url');
  const at = now();
  const session = {
    id,
    userId: account.user.id,
    method,
    epoch: sessionEpoch(application, account.epoch),
    secretHash: secretHash(secret),
    createdAt: isoTime(at),
    expiresAt: isoTime(at + SESSION_DAYS_MAX * DAY_MS),
    ip: source.ip,
    agent: agent.slice(0, AGENT_LENGTH_MAX).replaceAll('\0', ''),
  };
  const scene = { application, caller, source, ids, store, invalidate: people.invalidate };
  const entries = activityEntries(scene, { kind: 'session.login', member: 'sessionId' }, [{ sessionId: id }]);
  await loggedWrite(store, insertSession(store.schema, session), entries);
  for (const oldest of await sessionsBeyond(store, session.userId, SESSIONS_MAX)) {
    await end(scene, { sessionId: oldest, reason: 'too many' });
  }
  return { id, credentials: `${id}.${secret}` };
}

/** The account is named by exactly one of the two. */
export function readNamed({ userId, email }: { userId?: string; email?: string }): Named {
  if (userId !== undefined && email === undefined) return { userId };
  if (email !== undefined && userId === undefined) return { email };
  throw fault('INVALID_BODY', { reason: 'must have either userId or email', path: '' });
}

/** `former`: the cookie of a session that the browser still has; the new session replaces it. */
export async function signIn(
  context: VisitorContext,
  body: SignIn,
  { agent, former }: { agent: string; former: string | undefined },
): Promise<{ view: SessionView; credentials: string }> {
  const named = readNamed(body);
  const { application } = context;
  const account = await authenticate(context, named, body.password);
  // There is no account without an application.
  if (application === undefined || account === undefined) throw notSignedIn();
  const { credentials } = await openSession({ ...context, application }, account, { method: 'password', agent });
  const replaced = await formerSessionOf(context.store, former);
  if (replaced !== undefined) await endFormer({ ...context, application }, replaced);
  const view = viewOf(application, account.caller, account.user.email);
  return { view: { ...view, ...(await operatorMember(context, account.caller.id)) }, credentials };
}

/** Guessing is slowed down, and failures take the same time, as for Basic credentials (gate/credentials/authenticate). */
async function authenticate(context: VisitorContext, named: Named, password: string): Promise<Account | undefined> {
  const { applicationId, application, source, people, database, throttle, withoutSlot } = context;
  const presented = 'userId' in named ? named.userId : foldText(named.email);
  throttle.check(source.ip, accountKey(applicationId, presented));
  const found =
    application === undefined || application.singleSignOn || presented.includes('\0')
      ? undefined
      : await findAccount(database, application.definition, named);
  // Failures count for one account, whether it was named by address or by identifier.
  const name = accountKey(applicationId, found?.user.id ?? presented);
  const tenant = application?.id ?? '';
  const said = { address: source.ip, tenant, account: name, hash: presentHash(found), password };
  const proved = await withoutSlot((signal) => people.provesPassword({ ...said, signal }));
  if (proved && found !== undefined) return found;
  if (application !== undefined && found !== undefined) {
    const { id, name: userName } = found.caller;
    people.loginFailed({ application, user: { id, name: userName }, source });
  }
  return undefined;
}

/** The session of a cookie; undefined unless the cookie has the session's current or former secret. */
export async function formerSessionOf(store: Reader, cookie: string | undefined): Promise<StoredSession | undefined> {
  const presented = cookie === undefined ? undefined : readToken(cookie);
  const session = presented && (await getSession(store, presented.id));
  if (presented === undefined || session === undefined) return undefined;
  const { secretHash: hash, formerHash = hash } = session;
  return [hash, formerHash].some((one) => secretMatches(presented.secret, one)) ? session : undefined;
}

/** Ends the session that a browser had before it opened another. */
export async function endFormer(
  { application, store, source, ids, people }: VisitorContext & { readonly application: PreparedApplication },
  { id: sessionId, user }: StoredSession,
): Promise<void> {
  await end({ application, caller: user, source, ids, store, invalidate: people.invalidate }, { sessionId });
}

type Ending = Pick<Context, 'application' | 'caller' | 'source' | 'ids' | 'store'> &
  Pick<PeopleDependencies, 'invalidate'>;

/** `reason`: given when the server ends the session, not its user. `userId`: given when another user ends it. */
export async function end(
  { invalidate, ...scene }: Ending,
  ended: { readonly sessionId: string; readonly reason?: string; readonly userId?: string },
): Promise<void> {
  const { sessionId } = ended;
  const applicationId = scene.application.id;
  const entries = activityEntries(scene, { kind: 'session.logout', member: 'sessionId' }, [{ ...ended }]);
  await endSession(scene.store, { applicationId, sessionId, entries });
  invalidate({ application: applicationId, session: sessionId });
}

/** The copy cannot be told from the original, so the session ends for both. */
export async function endStolen(
  { database, ids, invalidate }: Pick<PeopleDependencies, 'invalidate'> & Pick<Context, 'database' | 'ids'>,
  { sessionId, ...scene }: StolenSession,
): Promise<void> {
  const store = database.application(scene.application.id);
  await end({ ...scene, ids, store, invalidate }, { sessionId, reason: 'former secret' });
}

export async function show({ application, caller, store, database, sessionId }: Context): Promise<SessionView> {
  const session = sessionId === undefined ? undefined : await getSession(store, sessionId);
  const user = session?.user ?? (await getUser(store, caller.id));
  return {
    ...viewOf(application, caller, user?.email ?? null),
    ...(await operatorMember({ applicationId: application.id, database }, caller.id)),
    ...(session === undefined ? {} : { sessionExpiresAt: isoTime(session.expiresAt) }),
  };
}

export async function signOut(context: Context): Promise<void> {
  const { sessionId } = context;
  if (sessionId === undefined) {
    throw fault('INVALID_PARAMETER', { parameter: 'Cookie', reason: 'there is no session to end' });
  }
  const { application, caller, source, ids, store, people } = context;
  await end({ application, caller, source, ids, store, invalidate: people.invalidate }, { sessionId });
}

async function operatorMember(
  { applicationId, database }: Pick<VisitorContext, 'applicationId' | 'database'>,
  userId: string,
): Promise<Pick<SessionView, 'operator'>> {
  return (await isOperator(database.system, { applicationId, userId })) ? { operator: true } : {};
}

const viewOf = ({ definition }: PreparedApplication, caller: Caller, email: string | null): SessionView => ({
  user: { id: caller.id, name: caller.name },
  ...(email === null ? {} : { email }),
  admin: caller.admin,
  apiAccess: caller.apiAccess,
  managementApiAccess: caller.managementApiAccess,
  organizationManagementApiAccess: caller.organizationManagementApiAccess,
  timeZone: definition.timeZone,
});

/**
 * The ways to sign in, and to what. Who has the link to an application may read its name: identifiers that the server assigns
 * cannot be guessed. Nothing else tells strangers whether an application exists.
 */
export function methods({ application, people }: VisitorContext) {
  const singleSignOn = application?.singleSignOn ?? false;
  const name = application && { name: application.definition.name };
  return {
    ...name,
    password: !singleSignOn,
    singleSignOn,
    passwordReset: !singleSignOn && people.mailer !== undefined,
  };
}
