// Preflights: what a browser asks before it sends the request of a page of another origin (http/cross-origin). They need no
// credentials, count against no quota, and tell nothing about the application but whether it allows the origin. A path that
// no route has is refused here too: a page that may use the application reads why.

import { type Fault, fault } from '../faults.ts';
import { NO_ROUTE, type RequestScope } from '../request/request-scope.ts';
import { isIdentifier } from '../wire/identifiers.ts';
import type { HttpRequest } from './clients/http-request.ts';
import { allowOrigin, isPreflight, preflightReply } from './cross-origin.ts';
import { type Services, withAdmission } from './handle.ts';
import type { Reply } from './replies/reply.ts';
import { pathOf } from './requests/request-head.ts';
import type { UserRoute } from './routes/row.ts';
import { type Handler, sendReplies } from './send.ts';

interface PreflightRoute {
  readonly method: 'OPTIONS';
  readonly path: string;
  readonly handler: Handler;
}

/** One for each path of the table. `others`: the handler of an OPTIONS request that is no preflight. */
export function preflightRoutes(
  services: Services,
  rows: readonly UserRoute[],
  others: (path: string) => Handler,
): PreflightRoute[] {
  const open = rows.filter(({ ownPagesOnly }) => ownPagesOnly !== true);
  return [...new Set(open.map(({ path }) => path))].map((path) => {
    const preflight = preflightHandler(
      services,
      open.filter((row) => row.path === path),
    );
    const other = others(path);
    const handler: Handler = (request, response) => (isPreflight(request) ? preflight : other)(request, response);
    return { method: 'OPTIONS', path, handler };
  });
}

function preflightHandler(services: Services, rows: readonly UserRoute[]): Handler {
  const [row] = rows;
  if (row === undefined) throw new Error('A path without routes has no preflight.');
  const allowed = preflightReply(rows.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method])));
  return sendReplies(services, { path: row.path }, (request, scope) => {
    const asking = { scope, request, row, applicationId: request.params.applicationId ?? '' };
    return answerPage(services, asking, (isAllowed) => {
      if (isAllowed) return allowed;
      throw fault('FORBIDDEN');
    });
  });
}

interface Asking {
  readonly scope: RequestScope;
  readonly request: HttpRequest;
  readonly row: Pick<UserRoute, 'exposes'>;
  /** As it stands in the path. */
  readonly applicationId: string;
}

/** Usually waits neither for a slot nor for the database. */
async function answerPage(
  services: Services,
  { scope, request, row, applicationId }: Asking,
  answer: (isAllowed: boolean) => Reply,
): Promise<Reply> {
  const { allowedOrigins, definitions } = services;
  const { origin } = request.headers;
  const allow = (application: ReturnType<typeof definitions.peek>) =>
    allowOrigin({ scope, origin, row }, allowedOrigins, application);
  const isKnown = isIdentifier('applicationId', applicationId);
  if (isKnown) scope.applicationId = applicationId;
  const cached = isKnown ? definitions.peek(applicationId) : undefined;
  if (allow(cached)) return answer(true);
  if (!isKnown || cached !== undefined) return answer(false);
  return withAdmission({ services, scope }, async () => answer(allow(await definitions.get(applicationId))));
}

const ANY_METHOD = preflightReply(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']);

/**
 * `isOwn`: the path is only for the server's own pages. Other paths of applications allow their preflights, without which a
 * browser would not send the request whose refusal the page should read.
 */
export function refusalHandler(
  services: Services,
  why: (request: HttpRequest) => Fault,
  isOwn: (path: string) => boolean,
): Handler {
  return sendReplies(services, { path: NO_ROUTE }, async (request, scope) => {
    const path = pathOf(request.url);
    const [, applicationId] = OF_APPLICATIONS.exec(path) ?? [];
    if (request.headers.origin === undefined || applicationId === undefined || isOwn(path)) throw why(request);
    return answerPage(services, { scope, request, row: {}, applicationId }, (isAllowed) => {
      if (isAllowed && request.method === 'OPTIONS' && isPreflight(request)) return ANY_METHOD;
      throw why(request);
    });
  });
}

const OF_APPLICATIONS = /^\/v1\/([^/]*)/;
