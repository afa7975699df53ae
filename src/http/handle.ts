// From a row of the table to an answer: the road that every request takes, in order, in one place.

import type { Context, OperatorContext, VisitorContext, WithoutSlot } from '../context.ts';
import type { PreparedApplication } from '../domain/definition/application.ts';
import { endpointOf } from '../domain/people/operator-proof.ts';
import { Fault, notSignedIn } from '../faults.ts';
import type { Admission } from '../gate/admission.ts';
import type { Authenticated, Authenticator } from '../gate/credentials/authenticate.ts';
import type { OperatorGate } from '../gate/credentials/operator.ts';
import type { LiveSession, Sessions } from '../gate/credentials/sessions.ts';
import { permit } from '../gate/permit.ts';
import type { QuotaGate } from '../gate/quotas/quota.ts';
import type { Transfers } from '../gate/transfers.ts';
import { recheckRefusal, staleAsBusy, withCurrentDefinition } from '../operations/current-definition.ts';
import type { RequestScope } from '../request/request-scope.ts';
import type { Slices } from '../request/slices.ts';
import type { HttpRequest } from './clients/http-request.ts';
import { type Answer, roughLength } from './replies/answer.ts';
import { FORGET_CACHED, readCookie, SESSION_COOKIE, sessionCookie } from './requests/cookies.ts';
import { refuseCrossSite, refuseForeign, refuseForeignBasic } from './requests/cross-site.ts';
import { checkIdentifiers } from './requests/identifiers.ts';
import type { Input } from './requests/input.ts';
import { type Bodies, checkQuery, readInput } from './requests/input.ts';
import type { OperatorRoute } from './routes/operator.ts';
import type { Route } from './routes/row.ts';
import type { VisitorRoute } from './routes/visitor-row.ts';
import { answering, type Sending } from './send.ts';

export interface Services extends Omit<OperatorContext, 'source' | 'endpoint'>, Sending {
  readonly admission: Admission;
  readonly slices: Slices;
  readonly uploads: Transfers;
  readonly downloads: Transfers;
  readonly bodies: Bodies;
  readonly quotas: QuotaGate;
  readonly authenticator: Authenticator;
  readonly sessions: Sessions;
  readonly operatorGate: OperatorGate;
  readonly known: Context['known'];
  readonly searchIndexes: Context['searchIndexes'];
  readonly attachments: Context['attachments'];
  readonly people: Context['people'];
  readonly throttle: VisitorContext['throttle'];
  readonly paceSignOns: VisitorContext['paceSignOns'];
  readonly providers: VisitorContext['providers'];
  readonly definitions: {
    get(applicationId: string): Promise<PreparedApplication | undefined>;
    knows(applicationId: string): boolean;
  };
  readonly publicUrlSet: boolean;
  /** As Prometheus reads them. */
  readonly metrics: () => Promise<{ readonly text: string; readonly contentType: string }>;
}

export function bindRoute(services: Services, row: Route) {
  const { group } = row;
  return answering(services, row.path, (request, scope) => {
    const { params } = request;
    checkIdentifiers(params);
    const { ids, now, known, searchIndexes, attachments, people, slices, byteBudget } = services;
    const database = services.database.forRequest(scope);
    const { authorization } = request.headers;
    const { applicationId = '' } = params;
    const address = request.address;
    scope.applicationId = applicationId;
    refuseForeignBasic(request, services.publicUrl);
    let input: Input<unknown> | undefined;
    let session: LiveSession | undefined;
    let counted = false;
    const withoutSlot: WithoutSlot = (work) => services.admission.withoutSlot(scope, work);
    const travel = async () => {
      scope.begin('gate');
      const who: Authenticated & { session?: LiveSession } =
        services.authenticator.recognize(applicationId, authorization, address) ??
        (await identify(services, request, { applicationId, session, withoutSlot }));
      session = who.session;
      scope.authenticated = true;
      scope.userId = who.caller.id;
      const { application, caller, signedInBy, tokenId } = who;
      if (group !== undefined && !counted) {
        scope.begin('quota');
        const taking = services.quotas.take(scope, application, group);
        if (taking !== undefined) await taking;
        counted = true;
      }
      scope.begin('body');
      permit(application, caller, row);
      checkQuery(request.url, row);
      input ??= await readInput(services, request, { params, rule: row.body, scope, sender: applicationId });
      scope.begin('operation');
      const source = { context: session === undefined ? ('api' as const) : ('console' as const), ip: address };
      const store = database.application(applicationId);
      // Member by member: on the road of every request a spread was measurable.
      const context = {
        application,
        caller,
        source,
        store,
        signedInBy,
        tokenId,
        sessionId: session?.id,
        ids,
        now,
        known,
        searchIndexes,
        attachments,
        people,
        database,
        withoutSlot,
        slices,
        scope,
        byteBudget,
      };
      try {
        return behindTheRoad(services.downloads, scope, await row.run(context, input, services));
      } catch (error) {
        throw await recheckRefusal(error, context, scope);
      } finally {
        if (scope.endTransfer !== undefined) services.deadlines.renew(scope);
      }
    };
    return admitted(services, scope, applicationId, () => {
      const answer = withCurrentDefinition(scope, travel, () => services.hear({ application: applicationId }));
      return authorization?.trim() ? answer : withRenewal(services, answer, () => session);
    });
  });
}

/** Applications that nobody knows, or not yet, share one share: whoever makes them up gains nothing by it. */
async function admitted(
  { admission, definitions, unread }: Services,
  scope: RequestScope,
  applicationId: string,
  work: () => Promise<Answer>,
): Promise<Answer> {
  scope.begin('admission');
  scope.tenant = definitions.knows(applicationId) ? applicationId : '';
  const turn = admission.enter(scope);
  if (turn !== undefined) await turn;
  let answer: Answer | undefined;
  try {
    unread.check(scope.tenant);
    answer = await work();
    return answer;
  } finally {
    admission.leave(scope, roughLength(answer?.body));
    scope.endTransfer?.();
  }
}

/** `session`: as whom the request was known before it had to start over. */
async function identify(
  { authenticator, sessions, publicUrl }: Services,
  request: HttpRequest,
  {
    applicationId,
    session,
    withoutSlot,
  }: { applicationId: string; session: LiveSession | undefined; withoutSlot: WithoutSlot },
): Promise<Authenticated & { session?: LiveSession }> {
  const { authorization, cookie } = request.headers;
  const address = request.address;
  const credentials = authorization?.trim() ? undefined : readCookie(cookie, SESSION_COOKIE);
  if (credentials === undefined)
    return authenticator.authenticate(applicationId, authorization, { address, withoutSlot });
  refuseCrossSite(request, publicUrl());
  const who =
    session === undefined
      ? await sessions.authenticate(applicationId, credentials, address)
      : await sessions.recheck(session);
  if (who === undefined) {
    throw notSignedIn({ 'set-cookie': sessionCookie(applicationId, undefined, publicUrl()), ...FORGET_CACHED });
  }
  return who;
}

/** The session's new secret goes out with whatever the answer is. Made last, so that it does not wait for a long upload. */
async function withRenewal(
  { sessions, publicUrl }: Services,
  answer: Promise<Answer>,
  session: () => LiveSession | undefined,
): Promise<Answer> {
  const cookies = async () => {
    const live = session();
    // Without one the client keeps what it has, and the next request tries again.
    const renewed = live && (await sessions.renew(live).catch(() => undefined));
    return renewed ? { 'set-cookie': sessionCookie(live.applicationId, renewed, publicUrl()) } : {};
  };
  try {
    const done = await answer;
    return { ...done, headers: { ...(await cookies()), ...done.headers } };
  } catch (error) {
    if (error instanceof Fault) error.headers = { ...(await cookies()), ...error.headers };
    throw error;
  }
}

/** The application is the one of the path; a row without it says which (single sign-on). */
export function bindVisitorRoute(services: Services, row: VisitorRoute) {
  return answering(services, row.path, (request, scope) => {
    const { params } = request;
    checkIdentifiers(params);
    checkQuery(request.url, row);
    scope.applicationId = params.applicationId;
    if (row.method !== 'GET') refuseForeign(request, services.publicUrl());
    return admitted(services, scope, params.applicationId ?? '', async () => {
      const { definitions, people, throttle, paceSignOns, providers, ids, now, observe } = services;
      scope.begin('body');
      const input = await readInput(services, request, { params, rule: row.body, scope, sender: undefined });
      scope.begin('operation');
      const applicationId = params.applicationId ?? row.applicationOf?.(input) ?? '';
      const source = { context: 'console' as const, ip: request.address };
      const database = services.database.forRequest(scope);
      const store = database.application(applicationId);
      const travel = async () => {
        const application = await definitions.get(applicationId);
        const means = { people, database, throttle, paceSignOns, providers, ids, now, observe };
        const withoutSlot: WithoutSlot = (work) => services.admission.withoutSlot(scope, work);
        const context = { applicationId, application, source, store, withoutSlot, ...means };
        return row.run(context, input);
      };
      return withCurrentDefinition(scope, travel, () => services.hear({ application: applicationId }));
    });
  });
}

/** As whose a body counts. Identifiers of applications have another form. */
const OPERATOR = 'operator';

export function bindOperatorRoute(services: Services, row: OperatorRoute) {
  const sending = row.keepsConnection ? { ...services, closing: () => false } : services;
  return answering(sending, row.path, async (request, scope) => {
    const { params } = request;
    checkIdentifiers(params);
    scope.begin('gate');
    if (row.permission === 'operator')
      services.operatorGate.authenticate(request.headers.authorization, request.address);
    scope.authenticated = row.permission === 'operator';
    scope.begin('body');
    checkQuery(request.url, row);
    scope.applicationId = params.applicationId;
    // What takes long here is wanted, and shows how far it has come.
    scope.deadlineAt = Number.POSITIVE_INFINITY;
    const sender = scope.authenticated ? OPERATOR : undefined;
    const input = await readInput(services, request, { params, rule: row.body, scope, sender });
    scope.begin('operation');
    const source = { context: 'operator' as const, ip: request.address };
    const { localAddress, localPort } = request.raw.socket;
    const database = services.database.forRequest(scope);
    const context = { ...services, source, database, endpoint: endpointOf(localAddress, localPort) };
    const forget = () => services.hear({ application: params.applicationId ?? '' });
    return withCurrentDefinition(scope, async () => row.run(context, input), forget);
  });
}

/** Bytes are opened when the headers are about to go out, too late to start over: who meets a new definition then comes again. */
function behindTheRoad(downloads: Transfers, scope: RequestScope, answer: Answer): Answer {
  const { stream } = answer;
  if (stream === undefined) return answer;
  const open = async () => {
    const end = downloads.begin(scope.tenant);
    try {
      const bytes = await stream();
      return bytes.once('close', end);
    } catch (error) {
      end();
      throw staleAsBusy(error);
    }
  };
  return { ...answer, stream: open };
}
