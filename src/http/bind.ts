// From a row of the table to an answer: the road that every request takes, in order, in one place.

import type { FastifyRequest } from 'fastify';
import type { Context, OperatorContext, VisitorContext, WithoutPlace } from '../context.ts';
import type { PreparedApplication } from '../domain/application.ts';
import { endpointOf } from '../domain/operator-proof.ts';
import { Fault, notSignedIn } from '../faults.ts';
import type { Admission } from '../gate/admission.ts';
import type { Authenticated, Authenticator } from '../gate/authenticate.ts';
import type { OperatorGate } from '../gate/operator.ts';
import { permit } from '../gate/permit.ts';
import type { QuotaGate } from '../gate/quota.ts';
import type { LiveSession, Sessions } from '../gate/sessions.ts';
import type { Transfers } from '../gate/transfers.ts';
import { recheckRefusal, staleAsBusy, withCurrentDefinition } from '../operations/current-definition.ts';
import type { Slices } from '../slices.ts';
import type { Trip } from '../trip.ts';
import { type Answer, roughLength } from './answer.ts';
import { clientAddress } from './client-address.ts';
import { FORGET_CACHED, readCookie, SESSION_COOKIE, sessionCookie } from './cookies.ts';
import { refuseCrossSite, refuseForeign, refuseForeignBasic } from './cross-site.ts';
import { checkIdentifiers } from './identifiers.ts';
import { type Bodies, checkQuery, readInput } from './input.ts';
import type { OperatorRoute } from './operator-routes.ts';
import type { Input, Route } from './route.ts';
import { answering, type Sending } from './send.ts';
import type { VisitorRoute } from './visitor-route.ts';

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
  return answering(services, row.path, (request, trip) => {
    const params = request.params as Record<string, string>;
    checkIdentifiers(params);
    const { ids, now, known, searchIndexes, attachments, people, slices, byteBudget } = services;
    const database = services.database.forTrip(trip);
    const { authorization } = request.headers;
    const { applicationId = '' } = params;
    const address = clientAddress(request);
    trip.applicationId = applicationId;
    refuseForeignBasic(request, services.publicUrl);
    let input: Input<unknown> | undefined;
    let session: LiveSession | undefined;
    let counted = false;
    const withoutPlace: WithoutPlace = (work) => services.admission.withoutPlace(trip, work);
    const travel = async () => {
      trip.begin('gate');
      const who: Authenticated & { session?: LiveSession } =
        services.authenticator.recognize(applicationId, authorization, address) ??
        (await identify(services, request, { applicationId, session, withoutPlace }));
      session = who.session;
      trip.authenticated = true;
      trip.userId = who.caller.id;
      const { application, caller, signedInBy, tokenId } = who;
      if (group !== undefined && !counted) {
        trip.begin('quota');
        const taking = services.quotas.take(trip, application, group);
        if (taking !== undefined) await taking;
        counted = true;
      }
      trip.begin('body');
      permit(application, caller, row);
      checkQuery(request.url, row);
      input ??= await readInput(services, request, { params, rule: row.body, trip, sender: applicationId });
      trip.begin('operation');
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
        withoutPlace,
        slices,
        trip,
        byteBudget,
      };
      try {
        return behindTheRoad(services.downloads, trip, await row.run(context, input, services));
      } catch (error) {
        throw await recheckRefusal(error, context, trip);
      } finally {
        if (trip.endTransfer !== undefined) services.deadlines.renew(trip);
      }
    };
    return admitted(services, trip, applicationId, () => {
      const answer = withCurrentDefinition(trip, travel, () => services.hear({ application: applicationId }));
      return authorization?.trim() ? answer : withRenewal(services, answer, () => session);
    });
  });
}

/** Applications that nobody knows, or not yet, share one share: whoever makes them up gains nothing by it. */
async function admitted(
  { admission, definitions, unread }: Services,
  trip: Trip,
  applicationId: string,
  work: () => Promise<Answer>,
): Promise<Answer> {
  trip.begin('admission');
  trip.share = definitions.knows(applicationId) ? applicationId : '';
  const turn = admission.enter(trip);
  if (turn !== undefined) await turn;
  let answer: Answer | undefined;
  try {
    unread.check(trip.share);
    answer = await work();
    return answer;
  } finally {
    admission.leave(trip, roughLength(answer?.body));
    trip.endTransfer?.();
  }
}

/** `session`: as whom the request was known before it had to start over. */
async function identify(
  { authenticator, sessions, publicUrl }: Services,
  request: FastifyRequest,
  {
    applicationId,
    session,
    withoutPlace,
  }: { applicationId: string; session: LiveSession | undefined; withoutPlace: WithoutPlace },
): Promise<Authenticated & { session?: LiveSession }> {
  const { authorization, cookie } = request.headers;
  const address = clientAddress(request);
  const credentials = authorization?.trim() ? undefined : readCookie(cookie, SESSION_COOKIE);
  if (credentials === undefined)
    return authenticator.authenticate(applicationId, authorization, { address, withoutPlace });
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
  return answering(services, row.path, (request, trip) => {
    const params = request.params as Record<string, string>;
    checkIdentifiers(params);
    checkQuery(request.url, row);
    trip.applicationId = params.applicationId;
    if (row.method !== 'GET') refuseForeign(request, services.publicUrl());
    return admitted(services, trip, params.applicationId ?? '', async () => {
      const { definitions, people, throttle, paceSignOns, providers, ids, now, observe } = services;
      trip.begin('body');
      const input = await readInput(services, request, { params, rule: row.body, trip, sender: undefined });
      trip.begin('operation');
      const applicationId = params.applicationId ?? row.applicationOf?.(input) ?? '';
      const source = { context: 'console' as const, ip: clientAddress(request) };
      const database = services.database.forTrip(trip);
      const store = database.application(applicationId);
      const travel = async () => {
        const application = await definitions.get(applicationId);
        const means = { people, database, throttle, paceSignOns, providers, ids, now, observe };
        const withoutPlace: WithoutPlace = (work) => services.admission.withoutPlace(trip, work);
        const context = { applicationId, application, source, store, withoutPlace, ...means };
        return row.run(context, input);
      };
      return withCurrentDefinition(trip, travel, () => services.hear({ application: applicationId }));
    });
  });
}

/** As whose a body counts. Identifiers of applications have another form. */
const OPERATOR = 'operator';

export function bindOperatorRoute(services: Services, row: OperatorRoute) {
  const sending = row.keepsConnection ? { ...services, closing: () => false } : services;
  return answering(sending, row.path, async (request, trip) => {
    const params = request.params as Record<string, string>;
    checkIdentifiers(params);
    trip.begin('gate');
    if (row.permission === 'operator')
      services.operatorGate.authenticate(request.headers.authorization, clientAddress(request));
    trip.authenticated = row.permission === 'operator';
    trip.begin('body');
    checkQuery(request.url, row);
    trip.applicationId = params.applicationId;
    // What takes long here is wanted, and shows how far it has come.
    trip.deadlineAt = Number.POSITIVE_INFINITY;
    const sender = trip.authenticated ? OPERATOR : undefined;
    const input = await readInput(services, request, { params, rule: row.body, trip, sender });
    trip.begin('operation');
    const source = { context: 'operator' as const, ip: clientAddress(request) };
    const { localAddress, localPort } = request.socket;
    const database = services.database.forTrip(trip);
    const context = { ...services, source, database, endpoint: endpointOf(localAddress, localPort) };
    const forget = () => services.hear({ application: params.applicationId ?? '' });
    return withCurrentDefinition(trip, async () => row.run(context, input), forget);
  });
}

/** Bytes are opened when the headers are about to go out, too late to start over: who meets a new definition then comes again. */
function behindTheRoad(downloads: Transfers, trip: Trip, answer: Answer): Answer {
  const { stream } = answer;
  if (stream === undefined) return answer;
  const open = async () => {
    const end = downloads.begin(trip.share);
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
