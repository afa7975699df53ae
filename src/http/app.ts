// The server: routes bound to the road, what is not on it, and the health of it all.

import { randomBytes } from 'node:crypto';
import { type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type FastifyInstance, type FastifyRequest, fastify } from 'fastify';
import { type Fault, fault } from '../faults.ts';
import type { Observe } from '../observe.ts';
import { answerText } from './answer.ts';
import { bindOperatorRoute, bindRoute, bindVisitorRoute, type Services } from './bind.ts';
import { awaitInvitation } from './body.ts';
import { clientAddress } from './client-address.ts';
import { alive, type Health, ready, routinely } from './health.ts';
import { OPERATOR_ROUTES } from './operator-routes.ts';
import { toProblem } from './problem.ts';
import { ROUTES } from './routes.ts';
import { answering } from './send.ts';
import { loadStatic, STATIC_ROUTES } from './static.ts';
import { VISITOR_ROUTES } from './visitor-routes.ts';

/** Request lines of 64 KB are accepted, and headers besides. */
const HEADER_BYTES_MAX = 96 * 1024;
/** How often Node looks for connections whose headers are late: they get up to so much more. */
const LOOKS_FOR_HEADERS = 4;
const DROPS_TOLD_MS = 1_000;
/** For the client to read the last word on a connection and to close it: what it still sends would otherwise take that away. */
const LINGER_MS = 2_000;

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
    // Bodies have bounds of their own (http/body).
    requestTimeout: 0,
    keepAliveTimeout: keepAliveMs,
    http: {
      maxHeaderSize: HEADER_BYTES_MAX,
      headersTimeout: headersMs,
      connectionsCheckingInterval: Math.ceil(headersMs / LOOKS_FOR_HEADERS),
      // Node would refuse a missing Host by itself, in words of its own.
      requireHostHeader: false,
    },
    routerOptions: { maxParamLength: HEADER_BYTES_MAX },
    frameworkErrors: (_error, request, reply) => refusing(unreadable)(request, reply),
    clientErrorHandler: (error, socket) => answerUnreadable(services.observe, error, socket),
  });
  // Their number is looked at on the way (http/send), so that none is left out.
  app.server.maxHeadersCount = 0;
  app.server.maxConnections = connectionsMax;
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
  // Node hands over the bare connection for this verb.
  app.server.on('connect', (_request, socket) => {
    answerOnSocket(services.observe, socket, fault('METHOD_NOT_ALLOWED', undefined, { allow: 'GET, HEAD' }));
  });

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
  app.get(
    '/readyz',
    answering(routine, '/readyz', () => ready(health)),
  );
  app.get(
    '/metrics',
    answering(routine, '/metrics', async (request) => {
      services.operatorGate.authenticate(request.headers.authorization, clientAddress(request));
      const { text, contentType } = await services.metrics();
      return answerText(text, { 'content-type': contentType, 'cache-control': 'no-store' });
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
  // A proxy may send the whole address (RFC 9112 section 3.2.2).
  const path = request.url.replace(/^https?:\/\/[^/?]*/i, '').split('?')[0] ?? '';
  const methods = PATHS.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method);
  if (methods.length === 0) return fault('NOT_FOUND');
  const allowed = methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
  return fault('METHOD_NOT_ALLOWED', undefined, { allow: allowed.join(', ') });
}

/** What the router cannot read, such as a broken percent-encoding in the path. */
const unreadable = (): Fault => fault('INVALID_PARAMETER', { parameter: 'path', reason: 'cannot be read' });

const UNREADABLE: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: `headers are larger than ${HEADER_BYTES_MAX} bytes`,
  ERR_HTTP_REQUEST_TIMEOUT: 'headers did not arrive in time',
};

/** What is not HTTP, or has headers beyond the bound: there is no request to answer, only a connection. */
function answerUnreadable(observe: Observe, error: Error & { code?: string }, socket: Socket): void {
  // Browsers open connections ahead of any request; one that said nothing is told nothing.
  const silent = socket.bytesRead === 0;
  if (error.code === 'ECONNRESET' || !socket.writable || silent || isAnswering(socket)) {
    socket.destroy();
    return;
  }
  if (error.code === 'HPE_INVALID_EOF_STATE') {
    const ended = fault('INVALID_BODY', { reason: 'the request ended before its declared length' });
    answerOnSocket(observe, socket, ended);
    return;
  }
  const reason = UNREADABLE[error.code ?? ''] ?? 'is not HTTP';
  answerOnSocket(observe, socket, fault('INVALID_PARAMETER', { parameter: 'request', reason }));
}

/** Whether an answer has begun on the connection: whatever is written to it now would be taken for a part of that. */
const isAnswering = (socket: Socket & { _httpMessage?: ServerResponse }): boolean =>
  socket._httpMessage?.headersSent === true;

function answerOnSocket(observe: Observe, socket: Duplex, problem: Fault): void {
  const { status, headers, body: parts } = toProblem(problem);
  // No records are told of here, the only ones that come in parts.
  const body = String(parts);
  const requestId = randomBytes(8).toString('hex');
  observe({ event: 'request', requestId, method: '', route: '', status, milliseconds: 0 });
  const all = {
    ...headers,
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    'x-request-id': requestId,
    connection: 'close',
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  socket.on('error', () => undefined);
  // A client that never closes its side would keep the connection for good, since Node forgets it here.
  const late = setTimeout(() => socket.destroy(), LINGER_MS).unref();
  socket.on('close', () => clearTimeout(late));
  socket.end([`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', body].join('\r\n'));
}
