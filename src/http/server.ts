// The HTTP server: the settings of its connections, and the router.

import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, METHODS, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { promisify } from 'node:util';
import findMyWay from 'find-my-way';
import type { Observe } from '../events/events.ts';
import { type Fault, fault } from '../faults.ts';
import type { RequestScope } from '../request/request-scope.ts';
import { endUnlessChanging, refuseConnect, replyOnSocket, stopReading } from './clients/broken-requests.ts';
import { HttpRequest, trustProxies } from './clients/http-request.ts';
import { queueFirstReads } from './clients/read-queue.ts';
import { IncomingRequest } from './clients/small-chunks.ts';
import type { ClientTimeouts } from './clients/timeouts.ts';
import { allowOrigin } from './cross-origin.ts';
import { handlerOf, type Services } from './handle.ts';
import { alive, asRoutine, type Health, readiness } from './health.ts';
import { openApiDocument } from './openapi/document.ts';
import { preflightRoutes, refusalHandler } from './preflight.ts';
import { type Reply, replyText } from './replies/reply.ts';
import { awaitInvitation } from './requests/body.ts';
import { HEADERS_MAX, pathOf } from './requests/request-head.ts';
import { NAMED_OPERATOR_ROUTES, OPERATOR_ROUTES } from './routes/operator.ts';
import { type Home, staticRoutes, toConsole } from './routes/static.ts';
import { ROUTES, SUBJECTS, VISITOR_ROUTES } from './routes/table.ts';
import { type Handler, type SentRoute, sendReplies } from './send.ts';

/** Request lines of 64 KB are accepted, and headers besides. */
const HEADER_BYTES_MAX = 96 * 1024;
/** How often Node checks, within `headersMs`, for connections whose headers are late. */
const HEADER_CHECKS = 15;
/** Dropped connections are reported together, once in this time. */
const DROP_REPORT_MS = 1_000;

export interface Listening {
  readonly trustedProxies: readonly string[] | undefined;
  readonly connectionsMax: number;
  readonly home: Home;
}

export function createHttpServer(
  services: Services,
  health: Health,
  { trustedProxies, connectionsMax, home }: Listening,
): Server {
  const { observe, pipelines } = services;
  const server = createServer(serverOptions(services.timeouts));
  // Node drops headers beyond this number silently. Twice what is allowed (http/requests/request-head) is enough to
  // notice; keeping all of them took 2 MB of memory for 240 KB of headers of a few bytes each.
  server.maxHeadersCount = 2 * HEADERS_MAX;
  server.maxConnections = connectionsMax;
  queueFirstReads(server);
  reportDrops(server, observe);
  server.on('request', requestListener(handlersOf(services, health, home), trustedProxies));
  // Unknown expectations are ignored (RFC 9110 section 10.1.1); Node would reply 417 itself.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  // Node would invite every body itself, including one that is refused unread.
  server.on('checkContinue', (request, response) => {
    awaitInvitation(request, () => response.writeContinue());
    server.emit('request', request, response);
  });
  server.on('connect', (_request, socket) => {
    refuseConnect(observe, socket, fault('METHOD_NOT_ALLOWED', undefined, { allow: 'GET, HEAD' }));
  });
  server.on('clientError', (error, socket) => refuseUnreadable(observe, error, socket as Socket));
  // Node would close its side as soon as a client closes its own, even before the reply.
  Object.assign(server, { httpAllowHalfOpen: true });
  server.on('connection', (socket) =>
    socket.on('end', () => pipelines.hasWaiting(socket) || endUnlessChanging(socket)),
  );
  return server;
}

const serverOptions = ({ headersMs, keepAliveMs }: ClientTimeouts) => {
  const checkMs = Math.ceil(headersMs / HEADER_CHECKS);
  return {
    IncomingMessage: IncomingRequest,
    maxHeaderSize: HEADER_BYTES_MAX,
    // The last check comes before `headersMs` are over.
    headersTimeout: headersMs - checkMs,
    connectionsCheckingInterval: checkMs,
    // Bodies have timeouts of their own (http/requests/body).
    requestTimeout: 0,
    keepAliveTimeout: keepAliveMs,
    // Node would refuse a missing Host itself, with a reply that is not ours.
    requireHostHeader: false,
  };
};

export async function listen(server: Server, place: { readonly host: string; readonly port: number }): Promise<void> {
  server.listen(place);
  await once(server, 'listening');
}

/** Closes idle connections, and resolves when the others have ended. */
export async function closeHttpServer(server: Server): Promise<void> {
  if (server.listening) await promisify(server.close.bind(server))();
}

interface Handlers {
  readonly routes: readonly (SentRoute & { readonly method: Method; readonly handler: Handler })[];
  readonly notFound: Handler;
  readonly unreadablePath: Handler;
}

type Method = (typeof ROUTES)[number]['method'];

function handlersOf(services: Services, health: Health, home: Home): Handlers {
  const routine = asRoutine(services);
  const metrics = async ({ headers, address }: HttpRequest) => {
    services.operatorGate.authenticate(headers.authorization, address);
    const { text, contentType } = await services.metrics();
    return replyText(text, { 'content-type': contentType });
  };
  const routes = [
    ...[...ROUTES, ...VISITOR_ROUTES, ...OPERATOR_ROUTES, ...NAMED_OPERATOR_ROUTES].map((row) => ({
      ...row,
      handler: handlerOf(services, row),
    })),
    ...staticRoutes().map(({ reply, ...row }) => ({ ...row, handler: sendReplies(services, row, reply) })),
    {
      method: 'GET' as const,
      path: OPENAPI_PATH,
      handler: sendReplies(services, { path: OPENAPI_PATH }, generalDocument(services)),
    },
    { method: 'GET' as const, path: '/healthz', handler: sendReplies(routine, { path: '/healthz' }, alive(services)) },
    { method: 'GET' as const, path: '/readyz', handler: sendReplies(routine, { path: '/readyz' }, readiness(health)) },
    { method: 'GET' as const, path: '/metrics', handler: sendReplies(routine, { path: '/metrics' }, metrics) },
  ];
  const unreadable = () => fault('INVALID_PARAMETER', { parameter: 'path', reason: 'cannot be read' });
  // Known to the router alone: with other methods it is an unknown path.
  const bareAddress = {
    method: 'GET' as const,
    path: '/',
    handler: sendReplies(services, { path: '/' }, toConsole(home)),
  };
  const unknown = refuseUnknown(routes);
  const own = ownPaths();
  const ownPatterns = own.map(patternOf);
  const notFound = refusalHandler(services, unknown, (path) => ownPatterns.some((pattern) => pattern.test(path)));
  // The router knows these paths in every spelling.
  const handler = refusalHandler(services, unknown, () => true);
  const ownOptions = own.map((path) => ({ method: 'OPTIONS' as const, path, handler }));
  const options = routes.filter(({ method }) => method === 'OPTIONS');
  const preflights = preflightRoutes(
    services,
    ROUTES,
    (path) => options.find((route) => route.path === path)?.handler ?? notFound,
  );
  const shadowed = shadowedMethods(routes).map((route) => ({ ...route, handler: notFound }));
  return {
    routes: [
      ...routes.filter((route) => !options.includes(route)),
      ...preflights,
      ...ownOptions,
      ...shadowed,
      bareAddress,
    ],
    notFound,
    unreadablePath: refusalHandler(services, unreadable, () => false),
  };
}

/** `PUT …/records/figures` names no record: a parameter of another path must not take what a path names itself. */
function shadowedMethods(routes: readonly Omit<Handlers['routes'][number], 'handler'>[]) {
  const known = routes.map(({ method, path }) => ({ method, path, pattern: patternOf(path) }));
  return known.flatMap(({ path }) => {
    const own = known.filter((route) => route.path === path);
    const others = known.filter((route) => route.path !== path && route.pattern.test(path));
    return others
      .filter(({ method }) => !own.some((route) => route.method === method))
      .map(({ method }) => ({ method, path }));
  });
}

/** The paths that are only for the server's own pages, such as that of the session. */
function ownPaths(): string[] {
  const open = new Set(ROUTES.filter(({ ownPagesOnly }) => ownPagesOnly !== true).map(({ path }) => path));
  const all = [...ROUTES, ...VISITOR_ROUTES, ...NAMED_OPERATOR_ROUTES].map(({ path }) => path);
  return [...new Set(all)].filter((path) => !open.has(path));
}

const OPENAPI_PATH = '/v1/openapi.json';

/** Public, and the same as long as the server runs: it is written at the first request. */
function generalDocument({ allowedOrigins }: Services): (request: HttpRequest, scope: RequestScope) => Reply {
  let reply: Reply | undefined;
  return ({ headers: { origin } }, scope) => {
    allowOrigin({ scope, origin, row: {} }, allowedOrigins, undefined);
    reply ??= replyText(JSON.stringify(openApiDocument(SUBJECTS)), { 'cache-control': 'no-cache' });
    return reply;
  };
}

function requestListener({ routes, notFound, unreadablePath }: Handlers, trustedProxies: Listening['trustedProxies']) {
  const trustProxy = trustProxies(trustedProxies);
  const node = randomBytes(4).toString('hex');
  let requests = 0;
  const call = (handler: Handler, raw: IncomingMessage, response: ServerResponse, params = {}) =>
    handler(new HttpRequest(`${node}-${(++requests).toString(36)}`, raw, { params, trustProxy }), response);
  const router = findMyWay({
    maxParamLength: HEADER_BYTES_MAX,
    // A path with a slash at its end names the same resource; see also refuseFinalSlash.
    ignoreTrailingSlash: true,
    // Queries are read after the checks that need none (http/requests/input).
    querystringParser: () => undefined,
    defaultRoute: (raw, response) => call(notFound, raw, response),
    // Such as a broken percent-encoding.
    onBadUrl: (_path, raw, response) => call(unreadablePath, raw, response),
  });
  const add = (method: findMyWay.HTTPMethod, { path, handler }: Handlers['routes'][number]) =>
    router.on(method, path, (raw, response, params) => call(handler, raw, response, params));
  for (const route of routes.filter(({ method }) => method !== 'OPTIONS')) add(route.method, route);
  router.compile();
  // The router compiles the methods that follow at their first request: few servers ever see one, and HEAD alone takes as
  // long as GET.
  for (const route of routes.filter(({ method }) => method === 'OPTIONS')) add('OPTIONS', route);
  for (const route of routes.filter(({ method }) => method === 'GET')) add('HEAD', route);
  // The router reads paths only of methods that it knows: an unreadable path is refused as such with every method.
  const served = new Set<string>(['HEAD', ...routes.map(({ method }) => method)]);
  for (const method of METHODS.filter((name) => !served.has(name)) as findMyWay.HTTPMethod[]) {
    router.on(method, '/*', (raw, response) => call(notFound, raw, response));
  }
  return (raw: IncomingMessage, response: ServerResponse) => router.lookup(raw, response);
}

/** Beyond `maxConnections` Node closes a connection as soon as it is opened. */
function reportDrops(server: Server, observe: Observe): void {
  let dropped = 0;
  const report = () => {
    observe({ event: 'connections.dropped', connections: dropped });
    dropped = 0;
  };
  server.on('drop', () => {
    if (dropped === 0) setTimeout(report, DROP_REPORT_MS).unref();
    dropped += 1;
  });
}

const patternOf = (path: string): RegExp => new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+').replaceAll('.', '\\.')}$`);

/** 405 where the path is known with other methods, else 404. */
function refuseUnknown(routes: Handlers['routes']): (request: HttpRequest) => Fault {
  const known = routes.map(({ method, path, replyHeaders }) => ({
    replyHeaders,
    methods: method === 'GET' ? ['GET', 'HEAD'] : [method],
    pattern: patternOf(path),
    parameters: path.split(':').length,
  }));
  return ({ url }) => {
    const path = pathOf(url);
    const matching = known.filter(({ pattern }) => pattern.test(path));
    if (matching.length === 0) return fault('NOT_FOUND');
    // A path of fewer parameters names what the others take for a parameter.
    const fewest = Math.min(...matching.map(({ parameters }) => parameters));
    const named = matching.filter(({ parameters }) => parameters === fewest);
    const allow = named.flatMap(({ methods }) => methods).join(', ');
    return fault('METHOD_NOT_ALLOWED', undefined, Object.assign({ allow }, ...named.map((row) => row.replyHeaders)));
  };
}

const UNREADABLE: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: `headers are larger than ${HEADER_BYTES_MAX} bytes`,
  HPE_INVALID_URL: 'has a character in its URL that must be percent-encoded, such as a blank or one beyond ASCII',
  HPE_INVALID_METHOD: 'begins with no method of HTTP',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'chunk extensions are too large',
  ERR_HTTP_REQUEST_TIMEOUT: 'headers did not arrive in time',
};

/** For bytes that are not HTTP, headers beyond the limit, and a request that ends in the middle. */
function refuseUnreadable(observe: Observe, error: Error & { code?: string }, socket: Socket): void {
  // Browsers open connections ahead of any request: one that sent nothing gets no reply.
  const silent = socket.bytesRead === 0;
  if (error.code === 'ECONNRESET' || socket.destroyed || silent) {
    socket.destroy();
    return;
  }
  // http/clients/small-chunks paused the parser, and sends the reply itself.
  if (error.code === 'HPE_PAUSED') return;
  const why = whyUnreadable(error.code ?? '');
  stopReading(socket, why, { refuse: () => replyOnSocket(observe, socket, why) });
}

function whyUnreadable(code: string): Fault {
  if (code === 'HPE_INVALID_EOF_STATE')
    return fault('INVALID_BODY', { reason: 'the request ended before its declared length' });
  return fault('INVALID_PARAMETER', { parameter: 'request', reason: UNREADABLE[code] ?? 'is not HTTP' });
}
