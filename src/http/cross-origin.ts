// Requests from pages of other origins (CORS, https://fetch.spec.whatwg.org/#http-cors-protocol). The operator or the
// application names the origins; without them nothing here adds a header. No reply allows credentials that a browser sends by
// itself: a page has to send a token, and http/requests/cross-site refuses cookies and passwords from other origins.

import type { PreparedApplication } from '../domain/definition/application.ts';
import type { RequestScope } from '../request/request-scope.ts';
import type { HttpRequest } from './clients/http-request.ts';
import type { Reply } from './replies/reply.ts';
import type { UserRoute } from './routes/row.ts';

/** Reply headers that the page may read, besides those that every page may. */
const EXPOSED = [
  ...['Cartulary-Consistency', 'ETag', 'Link', 'RateLimit', 'RateLimit-Policy', 'Retry-After', 'X-Request-Id'],
];

/** Request headers that the interface reads, and those of traces, which the libraries of browsers add. */
const ALLOWED_HEADERS = [
  ...['Authorization', 'Content-Type', 'Content-Disposition', 'Idempotency-Key', 'X-Service-CreatorId'],
  'Cartulary-Consistency',
  ...['If-Match', 'If-None-Match', 'If-Modified-Since', 'Range', 'If-Range'],
  ...['Tus-Resumable', 'Upload-Length', 'Upload-Offset', 'Upload-Metadata', 'X-HTTP-Method-Override'],
  ...['Traceparent', 'Tracestate'],
].join(', ');

/** Chromium keeps no preflight for longer. A page whose origin is no longer allowed reads no reply, whatever is kept. */
const PREFLIGHT_SECONDS = 7_200;

interface Asking {
  readonly scope: RequestScope;
  readonly origin: string | undefined;
  readonly row: Pick<UserRoute, 'exposes'>;
}

/**
 * Returns whether the page that asks may read the reply, and adds the headers that say so to every reply of the request.
 * Where any origin is allowed, caches keep the replies for each origin apart, also those for no origin.
 */
export function allowOrigin(
  { scope, origin, row }: Asking,
  everywhere: readonly string[],
  application: PreparedApplication | undefined,
): boolean {
  const own = application?.definition.allowedOrigins ?? [];
  if (everywhere.length === 0 && own.length === 0) return false;
  scope.headers.vary = 'Origin';
  if (origin === undefined || !(everywhere.includes(origin) || own.includes(origin))) return false;
  scope.headers['access-control-allow-origin'] = origin;
  scope.headers['access-control-expose-headers'] = [...EXPOSED, ...(row.exposes ?? [])].join(', ');
  return true;
}

/** What a browser asks before it sends what a plain form could not have sent. Other OPTIONS requests are those of tus. */
export const isPreflight = ({ headers }: HttpRequest): boolean =>
  headers.origin !== undefined && headers['access-control-request-method'] !== undefined;

export const preflightReply = (methods: readonly string[]): Reply => ({
  status: 204,
  headers: {
    'access-control-allow-methods': methods.join(', '),
    'access-control-allow-headers': ALLOWED_HEADERS,
    'access-control-max-age': String(PREFLIGHT_SECONDS),
  },
});
