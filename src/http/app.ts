// The server: routes bound to the road, what is not on it, and the health of it all.

import { randomBytes } from 'node:crypto';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { type FastifyInstance, type FastifyRequest, fastify } from 'fastify';
import { type Fault, fault } from '../faults.ts';
import type { Observe } from '../observe/events.ts';
import { clientAddress } from './clients/client-address.ts';
import { answerOnSocket, endUnlessChanging, refuseConnect, stopReading } from './clients/connection-end.ts';
import { readNewInTurn } from './clients/crowded-reads.ts';
import { IncomingRequest } from './clients/incoming-request.ts';
import { bindOperatorRoute, bindRoute, bindVisitorRoute, type Services } from './handle.ts';
import { alive, type Health, readiness, routinely } from './health.ts';
import { answerText } from './replies/answer.ts';
import { awaitInvitation } from './requests/body.ts';
import { HEADERS_MAX, pathAndQuery } from './requests/request-head.ts';
import { OPERATOR_ROUTES } from './routes/operator.ts';
import { loadStatic, STATIC_ROUTES } from './routes/static.ts';
import { ROUTES } from './routes/table.ts';
import { VISITOR_ROUTES } from './routes/visitors.ts';
import { answering } from './send.ts';

/** Request lines of 64 KB are accepted, and headers besides. */
const HEADER_BYTES_MAX = 96 * 1024;
/** How often Node looks for connections whose headers are late, within their time: the last look is before its end. */
const LOOKS_FOR_HEADERS = 15;
const DROPS_TOLD_MS = 1_000;

export interface Listening {
  readonly trustedProxies: readonly string[] | undefined;
  readonly connectionsMax: number;
}

export function createApp(
  services: Services,
  health: Health,
  { trustedProxies, connectionsMax }: Listening,
): FastifyInstance {
  const { headersMs, keepAliveMs } = services.patience;
  const looksApartMs = Math.ceil(headersMs / LOOKS_FOR_HEADERS);
  const refusing = (why: (request: FastifyRequest) => Fault) =>
    answering(services, '', (request) => Promise.reject(why(request)));
  const node = randomBytes(4).toString('hex');
  let requests = 0;
  const app = fastify({
    trustProxy: trustedProxies === undefined ? false : [...trustedProxies],
    genReqId: () => `${node}-${(++requests).toString(36)}`,
    requestIdHeader: false,
    // While closing, requests that still arrive on open connections are served like any other.
    return503OnClosing: false,
    // Bodies have bounds of their own (http/requests/body).
    requestTimeout: 0,
    keepAliveTimeout: keepAliveMs,
    http: {
      IncomingMessage: IncomingRequest,
      maxHeaderSize: HEADER_BYTES_MAX,
      headersTimeout: headersMs - looksApartMs,
      connectionsCheckingInterval: looksApartMs,
      // Node would refuse a missing Host by itself, in words of its own.
      requireHostHeader: false,
    },
    routerOptions: { maxParamLength: HEADER_BYTES_MAX },
    frameworkErrors: (_error, request, reply) => refusing(unreadable)(request, reply),
    clientErrorHandler: (error, socket) => answerUnreadable(services.observe, error, socket),
  });
  // Node leaves out those beyond, so that more than there may be are kept (http/requests/request-head), and not all: of a few bytes each, they took
  // 2 MB of a connection for 240 KB that it had sent.
  app.server.maxHeadersCount = 2 * HEADERS_MAX;
  app.server.maxConnections = connectionsMax;
  readNewInTurn(app.server);
  tellDrops(app.server, services.observe);
  // Bodies are read on the road, behind the checks that need none: the framework is told that no verb has one.
  for (const method of app.supportedMethods) app.addHttpMethod(method, { overrideExisting: true });
  // An expectation that nobody knows is ignored (RFC 9110 section 10.1.1); Node would answer 417 by itself.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  // Node would ask for every body by itself, also for one that is refused unread.
  app.server.on('checkContinue', (request, response) => {
    awaitInvitation(request, () => response.writeContinue());
    app.server.emit('request', request, response);
  });
  app.server.on('connect', (_request, socket) => {
    refuseConnect(services.observe, socket, fault('METHOD_NOT_ALLOWED', undefined, { allow: 'GET, HEAD' }));
  });
  // Node would close its side at once when a client closes its own, also before the answer.
  Object.assign(app.server, { httpAllowHalfOpen: true });
  app.server.on('connection', (socket) =>
    socket.on('end', () => services.pipelines.hasWaiting(socket) || endUnlessChanging(socket)),
  );

  for (const row of ROUTES) app.route({ method: row.method, url: row.path, handler: bindRoute(services, row) });
  for (const row of VISITOR_ROUTES)
    app.route({ method: row.method, url: row.path, handler: bindVisitorRoute(services, row) });
  for (const row of OPERATOR_ROUTES)
    app.route({ method: row.method, url: row.path, handler: bindOperatorRoute(services, row) });
  for (const row of STATIC_ROUTES) {
    const answer = loadStatic(row);
    app.route({ method: row.method, url: row.path, handler: answering(services, row.path, () => answer) });
  }
  const routine = routinely(services);
  app.get('/healthz', answering(routine, '/healthz', alive));
  app.get('/readyz', answering(routine, '/readyz', readiness(health)));
  app.get(
    '/metrics',
    answering(routine, '/metrics', async (request) => {
      services.operatorGate.authenticate(request.headers.authorization, clientAddress(request));
      const { text, contentType } = await services.metrics();
      return answerText(text, { 'content-type': contentType });
    }),
  );
  app.setNotFoundHandler(refusing(notFound));
  return app;
}

/** Beyond the bound Node closes a connection as soon as it is opened. */
function tellDrops(server: Server, observe: Observe): void {
  let dropped = 0;
  const tell = () => {
    observe({ event: 'connections.dropped', connections: dropped });
    dropped = 0;
  };
  server.on('drop', () => {
    if (dropped === 0) setTimeout(tell, DROPS_TOLD_MS).unref();
    dropped += 1;
  });
}

const PATHS = [
  ...ROUTES,
  ...VISITOR_ROUTES,
  ...OPERATOR_ROUTES,
  ...STATIC_ROUTES,
  { method: 'GET', path: '/healthz' },
  { method: 'GET', path: '/readyz' },
  { method: 'GET', path: '/metrics' },
].map(({ method, path }) => ({
  method,
  pattern: new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+').replaceAll('.', '\\.')}$`),
}));

/** 405 where the path is known with other verbs, else 404. */
function notFound(request: FastifyRequest): Fault {
  const path = pathAndQuery(request.url).split('?')[0] ?? '';
  const methods = PATHS.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method);
  if (methods.length === 0) return fault('NOT_FOUND');
  const allowed = methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
  return fault('METHOD_NOT_ALLOWED', undefined, { allow: allowed.join(', ') });
}

/** What the router cannot read, such as a broken percent-encoding in the path. */
const unreadable = (): Fault => fault('INVALID_PARAMETER', { parameter: 'path', reason: 'cannot be read' });

const UNREADABLE: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: `headers are larger than ${HEADER_BYTES_MAX} bytes`,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'chunk extensions are too large',
  ERR_HTTP_REQUEST_TIMEOUT: 'headers did not arrive in time',
};

/** What is not HTTP, has headers beyond the bound, or ends in the middle. */
function answerUnreadable(observe: Observe, error: Error & { code?: string }, socket: Socket): void {
  // Browsers open connections ahead of any request; one that said nothing is told nothing.
  const silent = socket.bytesRead === 0;
  if (error.code === 'ECONNRESET' || socket.destroyed || silent) {
    socket.destroy();
    return;
  }
  // By http/clients/incoming-request, which says why.
  if (error.code === 'HPE_PAUSED') return;
  const why = whyUnreadable(error.code ?? '');
  stopReading(socket, why, { refuse: () => answerOnSocket(observe, socket, why) });
}

function whyUnreadable(code: string): Fault {
  if (code === 'HPE_INVALID_EOF_STATE')
    return fault('INVALID_BODY', { reason: 'the request ended before its declared length' });
  return fault('INVALID_PARAMETER', { parameter: 'request', reason: UNREADABLE[code] ?? 'is not HTTP' });
}
