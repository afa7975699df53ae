// How a request is handled: admission, gate (credentials), quota, body, operation, reply. The order is the same for users,
// visitors and the operator; the route states where they differ.

import type { Context, NamedOperator, OperatorContext, VisitorContext, WithoutSlot } from '../context.ts';
import type { PreparedApplication } from '../domain/definition/application.ts';
import { endpointOf } from '../domain/people/server-proof.ts';
import { Fault, notSignedIn } from '../faults.ts';
import type { Admission } from '../gate/admission.ts';
import type { Authenticated, Authenticator } from '../gate/credentials/authenticate.ts';
import { type OperatorGate, refuseUnnamed } from '../gate/credentials/operator.ts';
import type { LiveSession, Sessions } from '../gate/credentials/sessions.ts';
import { permit } from '../gate/permit.ts';
import type { QuotaGate } from '../gate/quotas/quota.ts';
import type { Transfers } from '../gate/transfers.ts';
import type { Slices } from '../load/slices.ts';
import { recheckRefusal, staleAsBusy, withCurrentDefinition } from '../operations/current-definition.ts';
import type { RequestScope } from '../request/request-scope.ts';
import type { HttpRequest } from './clients/http-request.ts';
import { allowOrigin } from './cross-origin.ts';
import { runKeyed } from './keyed-requests.ts';
import { type Reply, roughLength } from './replies/reply.ts';
import { FORGET_CACHED, readCookie, SESSION_COOKIE, sessionCookie } from './requests/cookies.ts';
import { refuseCrossSite, refuseForeign, refuseForeignBasic } from './requests/cross-site.ts';
import { KEY_HEADER, readKey } from './requests/idempotency-key.ts';
import { checkIdentifiers } from './requests/identifiers.ts';
import type { Input } from './requests/input.ts';
import { type Bodies, readInput } from './requests/input.ts';
import { checkQuery } from './requests/query.ts';
import { refuseBody, refuseFinalSlash } from './requests/request-head.ts';
import type { OperatorRoute, Route, UserRoute, VisitorRoute } from './routes/row.ts';
import { type Handler, type Sending, sendReplies } from './send.ts';

export interface Services extends Omit<OperatorContext, 'source' | 'endpoint' | 'namedUser'>, Sending {
  readonly admission: Admission;
  readonly slices: Slices;
  readonly uploads: Transfers;
  readonly downloads: Transfers;
  readonly bodies: Bodies;
  readonly quotas: QuotaGate;
  readonly authenticator: Authenticator;
  readonly sessions: Sessions;
  readonly operatorGate: OperatorGate;
  readonly searchIndexes: Context['searchIndexes'];
  readonly attachments: Context['attachments'];
  readonly people: Context['people'];
  readonly throttle: VisitorContext['throttle'];
  readonly paceSignOns: VisitorContext['paceSignOns'];
  readonly providers: VisitorContext['providers'] & OperatorContext['providers'];
  readonly definitions: {
    get(applicationId: string): Promise<PreparedApplication | undefined>;
    knows(applicationId: string): boolean;
    /** The cached one, without waiting. */
    peek(applicationId: string): PreparedApplication | undefined;
  };
  readonly publicUrlSet: boolean;
  /** The sources that the server was built from: a commit, or their digest. */
  readonly build: string;
  /** Pages of these origins may use every application. */
  readonly allowedOrigins: readonly string[];
}

/** The handler of a row, for the router. */
export function handlerOf(services: Services, row: Route): Handler {
  return sendReplies(sendingOf(services, row), row, (request, scope) => {
    const database = services.database.forRequest(scope);
    // Member by member: a spread was measurable in every request.
    return handle({
      services,
      row,
      request,
      scope,
      database,
      user: undefined,
      namedUser: undefined,
      session: undefined,
      counted: false,
      key: undefined,
      input: undefined,
    });
  });
}

function sendingOf(services: Services, row: Route): Sending {
  if (row.caller === 'user' && !row.ownPagesOnly && !row.showsSecret) return services;
  const keepsConnection = row.caller === 'operator' && row.keepsConnection === true;
  return { ...services, compressions: undefined, ...(keepsConnection && { closing: () => false }) };
}

/** The state of one request between the stages. */
interface Handling {
  readonly services: Services;
  readonly row: Route;
  readonly request: HttpRequest;
  readonly scope: RequestScope;
  /** Bound to the request, so that its statements are counted and cancelled with it. */
  readonly database: ReturnType<Services['database']['forRequest']>;
  user: Authenticated | undefined;
  /** Of an operator's request with a session. */
  namedUser: NamedOperator | undefined;
  // The rest is kept when the request starts over with a new definition: nothing is counted or read twice.
  session: LiveSession | undefined;
  counted: boolean;
  /** The Idempotency-Key. */
  key: string | undefined;
  input: Input<unknown> | undefined;
}

/** The stages in their order, under the names that `Server-Timing` and traces give them. */
function handle(handling: Handling): Promise<Reply> {
  const { services, row, request, scope } = handling;
  const answered = answerOrigin(handling);
  checkIdentifiers(request.params);
  if (row.refusesOthers || row.refusesFinalSlash) refuseFinalSlash(request.url);
  if (row.refusesOthers && row.method === 'DELETE') refuseBody(request);
  scope.applicationId = request.params.applicationId;
  refuseOtherSites(handling);
  const stages = async (): Promise<Reply> => {
    if (!answered) await answerOriginLate(handling);
    const entering = enterGate(handling);
    if (entering !== undefined) await entering;
    const counting = takeQuota(handling);
    if (counting !== undefined) await counting;
    scope.beginStage('body');
    checkRequest(handling);
    if (handling.input === undefined) {
      const keyed = handling.key !== undefined;
      const input = readInput(services, request, { rule: row.body, scope, sender: senderOf(handling), keyed });
      handling.input = input instanceof Promise ? await input : input;
    }
    scope.beginStage('operation');
    return runOperation(handling, handling.input);
  };
  const stale = () => services.invalidate({ application: applicationOf(handling) });
  const work = () => withCurrentDefinition(scope, stages, stale);
  if (row.caller === 'operator') {
    const reply = hasSession(handling) ? withRenewal(handling, work()) : work();
    return reply.finally(() => services.slices.end(scope));
  }
  return withAdmission(handling, mayHaveSession(handling) ? () => withRenewal(handling, work()) : work);
}

/** Comes first, so that a page of another origin can read every refusal. False: the application is not in the cache. */
function answerOrigin({ services, row, request, scope }: Handling): boolean {
  const { origin } = request.headers;
  if (origin === undefined || row.caller !== 'user' || row.ownPagesOnly) return true;
  const application = services.definitions.peek(request.params.applicationId ?? '');
  allowOrigin({ scope, origin, row }, services.allowedOrigins, application);
  return application !== undefined;
}

/** Authentication needs the definition too, so this takes no more of the database. */
async function answerOriginLate({ services, row, request, scope }: Handling): Promise<void> {
  const application = await services.definitions.get(scope.applicationId ?? '');
  const { origin } = request.headers;
  if (row.caller === 'user') allowOrigin({ scope, origin, row }, services.allowedOrigins, application);
}

/** Comes first, so that nothing is done for a page of another site. */
function refuseOtherSites({ services, row, request }: Handling): void {
  if (row.caller === 'user') refuseForeignBasic(request, services.publicUrl);
  else if (row.caller === 'visitor' && row.method !== 'GET') refuseForeign(request, services.publicUrl());
}

/** All unknown applications are one tenant, so that a client gains nothing by making up identifiers. */
export async function withAdmission(
  { services, scope }: Pick<Handling, 'services' | 'scope'>,
  work: () => Promise<Reply>,
): Promise<Reply> {
  const { admission, definitions, unread, slices } = services;
  const { applicationId = '' } = scope;
  scope.beginStage('admission');
  scope.tenant = definitions.knows(applicationId) ? applicationId : '';
  const admitted = admission.enter(scope);
  if (admitted !== undefined) await admitted;
  let reply: Reply | undefined;
  try {
    unread.check(scope.tenant);
    reply = await work();
    return reply;
  } finally {
    admission.leave(scope, roughLength(reply?.body));
    slices.end(scope);
    scope.endTransfer?.();
  }
}

/** A promise only if there is something to wait for: a cached token is checked without waiting. */
function enterGate(handling: Handling): Promise<void> | undefined {
  const { services, row, request, scope } = handling;
  if (row.caller === 'visitor') return undefined;
  scope.beginStage('gate');
  if (row.caller === 'operator') {
    if (hasSession(handling)) return enterAsNamedUser(handling).then(() => beginOperatorsWork(scope));
    if (row.permission !== 'open') {
      services.operatorGate.authenticate(request.headers.authorization, request.address);
      scope.authenticated = true;
    }
    return beginOperatorsWork(scope);
  }
  const { applicationId = '' } = scope;
  const known = services.authenticator.recognize(applicationId, request.headers.authorization, request.address);
  if (known !== undefined) return setUser(handling, known);
  return identify(handling, applicationId).then((who) => setUser(handling, who));
}

/** An operator's operation may take long, and shows its progress. */
function beginOperatorsWork(scope: RequestScope): undefined {
  scope.deadlineAt = Number.POSITIVE_INFINITY;
}

/** A request to the operator's interface below the application that its sender has signed in to. */
const hasSession = ({ row, request }: Handling): boolean =>
  row.caller === 'operator' && request.params.signedInTo !== undefined;

/** Holds a slot of the application: until it is known who asks, this is a request like those of its users. */
async function enterAsNamedUser(handling: Handling): Promise<void> {
  const { services, request, scope, database } = handling;
  const applicationId = request.params.signedInTo ?? '';
  scope.tenant = services.definitions.knows(applicationId) ? applicationId : '';
  const admitted = services.admission.enter(scope);
  if (admitted !== undefined) await admitted;
  try {
    const credentials = sessionIn(request);
    if (credentials === undefined) throw notSignedIn();
    const { caller } = await identifyBySession(handling, applicationId, credentials);
    await refuseUnnamed(database.system, { applicationId, userId: caller.id });
    handling.namedUser = { applicationId, id: caller.id, name: caller.name };
    scope.operator = `${applicationId}/${caller.id}`;
    scope.authenticated = true;
  } finally {
    services.admission.leave(scope);
    scope.tenant = '';
  }
}

function setUser(handling: Handling, user: Authenticated): undefined {
  const { services, row, request, scope } = handling;
  if (request.headers.origin === undefined && row.caller === 'user' && !row.ownPagesOnly) {
    allowOrigin({ scope, origin: undefined, row }, services.allowedOrigins, user.application);
  }
  handling.user = user;
  handling.scope.authenticated = true;
  handling.scope.userId = user.caller.id;
}

async function identify(handling: Handling, applicationId: string): Promise<Authenticated> {
  const { services, request } = handling;
  const { authorization } = request.headers;
  const { address } = request;
  const credentials = sessionIn(request);
  if (credentials !== undefined) return identifyBySession(handling, applicationId, credentials);
  const options = { address, withoutSlot: withoutSlot(handling) };
  return services.authenticator.authenticate(applicationId, authorization, options);
}

/** A request with an `Authorization` header is not that of a session. */
const sessionIn = ({ headers: { authorization, cookie } }: HttpRequest): string | undefined =>
  authorization?.trim() ? undefined : readCookie(cookie, SESSION_COOKIE);

async function identifyBySession(
  handling: Handling,
  applicationId: string,
  credentials: string,
): Promise<Authenticated> {
  const { services, request, session } = handling;
  const { sessions, publicUrl } = services;
  refuseCrossSite(request, publicUrl());
  const who =
    session === undefined
      ? await sessions.authenticate(applicationId, credentials, request.address)
      : await sessions.recheck(session);
  if (who === undefined) {
    throw notSignedIn({ 'set-cookie': sessionCookie(applicationId, undefined, publicUrl()), ...FORGET_CACHED });
  }
  handling.session = who.session;
  return who;
}

function takeQuota(handling: Handling): Promise<void> | undefined {
  const { services, row, scope, user } = handling;
  if (row.caller !== 'user' || row.group === undefined || user === undefined || handling.counted) return undefined;
  scope.beginStage('quota');
  const taking = services.quotas.take(scope, user.application, row.group);
  if (taking === undefined) handling.counted = true;
  return taking?.then(() => {
    handling.counted = true;
  });
}

/** The checks that do not need the body. */
function checkRequest(handling: Handling): void {
  const { row, request, user } = handling;
  if (row.caller === 'user' && user !== undefined) permit(user.application, user.caller, row);
  checkQuery(request.url, row);
  if (row.caller !== 'user' || row.keyed !== true) return;
  const key = request.headers[KEY_HEADER];
  if (key !== undefined) handling.key = readKey(key);
}

/** The tenant that the body counts for; undefined: its network. No application has the identifier `operator`. */
function senderOf({ row, scope }: Handling): string | undefined {
  if (row.caller === 'user') return scope.applicationId;
  return row.caller === 'operator' && scope.authenticated ? 'operator' : undefined;
}

function applicationOf({ row, scope, input }: Handling): string {
  const named = row.caller === 'visitor' && input !== undefined ? row.applicationOf?.(input) : undefined;
  return scope.applicationId ?? named ?? '';
}

function runOperation(handling: Handling, input: Input<unknown>): Promise<Reply> | Reply {
  const { row } = handling;
  switch (row.caller) {
    case 'user':
      return runForUser(handling, row, input);
    case 'visitor':
      return runForVisitor(handling, row, input);
    case 'operator':
      return runForOperator(handling, row, input);
  }
}

async function runForUser(handling: Handling, row: UserRoute, input: Input<unknown>): Promise<Reply> {
  const { services, request, scope, database, user, session, key } = handling;
  if (user === undefined) throw new Error(`${row.path} runs without a user`);
  const { ids, now, searchIndexes, attachments, people, slices, byteBudget } = services;
  const { application, caller, signedInBy, tokenId } = user;
  // Member by member, as above.
  const context = {
    application,
    caller,
    source: { context: session === undefined ? ('api' as const) : ('console' as const), ip: request.address },
    store: database.application(application.id),
    signedInBy,
    tokenId,
    sessionId: session?.id,
    keyed: undefined,
    ids,
    now,
    searchIndexes,
    attachments,
    people,
    database,
    withoutSlot: withoutSlot(handling),
    slices,
    scope,
    byteBudget,
  };
  try {
    if (key !== undefined) return await runKeyed({ key, row, context, input, server: services });
    return withDownloadSlot(services.downloads, scope, await row.run(context, input, services));
  } catch (error) {
    throw await recheckRefusal(error, context, scope);
  } finally {
    if (scope.endTransfer !== undefined) services.deadlines.renew(scope);
  }
}

async function runForVisitor(handling: Handling, row: VisitorRoute, input: Input<unknown>): Promise<Reply> {
  const { services, request, database } = handling;
  const { definitions, people, throttle, paceSignOns, providers, ids, now, observe } = services;
  const applicationId = applicationOf(handling);
  const context = {
    applicationId,
    application: await definitions.get(applicationId),
    source: { context: 'console' as const, ip: request.address },
    store: database.application(applicationId),
    withoutSlot: withoutSlot(handling),
    ...{ people, database, throttle, paceSignOns, providers, ids, now, observe },
  };
  return row.run(context, input);
}

function runForOperator(handling: Handling, row: OperatorRoute, input: Input<unknown>): Promise<Reply> | Reply {
  const { services, request, database, namedUser } = handling;
  const { localAddress, localPort } = request.raw.socket;
  const source = { context: 'operator' as const, ip: request.address };
  const endpoint = endpointOf(localAddress, localPort);
  return row.run({ ...services, source, database, namedUser, endpoint }, input);
}

const withoutSlot =
  ({ services, scope }: Handling): WithoutSlot =>
  (work, how) =>
    services.admission.withoutSlot(scope, work, how);

/** The stream is opened when the headers are about to go out, too late to start over: a stale definition is refused as busy. */
function withDownloadSlot(downloads: Transfers, scope: RequestScope, reply: Reply): Reply {
  const { stream } = reply;
  if (stream === undefined) return reply;
  let afterStream = (): void => undefined;
  const open = async () => {
    try {
      afterStream = downloads.begin(scope.tenant);
      return await stream();
    } catch (error) {
      afterStream();
      throw staleAsBusy(error);
    }
  };
  return { afterStream: () => afterStream(), ...reply, stream: open };
}

const mayHaveSession = ({ row, request }: Handling): boolean =>
  row.caller === 'user' && !request.headers.authorization?.trim();

/** The session's new secret goes out with every reply, refusals included. Made last, so that it does not wait for a long upload. */
async function withRenewal(handling: Handling, work: Promise<Reply>): Promise<Reply> {
  const { services } = handling;
  const cookies = async () => {
    const { session } = handling;
    // Without a new secret the client keeps the one it has, and its next request tries again.
    const renewed = session && (await services.sessions.renew(session).catch(() => undefined));
    return renewed ? { 'set-cookie': sessionCookie(session.applicationId, renewed, services.publicUrl()) } : {};
  };
  try {
    const reply = await work;
    return { ...reply, headers: { ...(await cookies()), ...reply.headers } };
  } catch (error) {
    if (error instanceof Fault) error.headers = { ...(await cookies()), ...error.headers };
    throw error;
  }
}
