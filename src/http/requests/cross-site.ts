// Keeps other sites from using credentials that a browser sends by itself: a session cookie, or a remembered password. The
// browser states where a request comes from (Sec-Fetch-Site, and Origin with all methods but GET and HEAD), and no page can
// change that. The cookie is SameSite=Strict as well; each protection works without the other.

import { fault } from '../../faults.ts';
import type { HttpRequest } from '../clients/http-request.ts';

type CheckedRequest = Pick<HttpRequest, 'method' | 'headers' | 'host'>;

const single = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value.join(', ') : value;

/** If the headers name an origin, it must be this server. A client without them is not a browser. */
export function refuseForeign({ headers, host }: CheckedRequest, publicUrl: string): void {
  const site = single(headers['sec-fetch-site']);
  if (site !== undefined && site !== 'same-origin' && site !== 'none') throw fault('FORBIDDEN');
  const { origin } = headers;
  if (origin !== undefined && !isOurs(origin, host, publicUrl)) throw fault('FORBIDDEN');
}

/** For requests with a session cookie: a write must name its origin. */
export function refuseCrossSite(request: CheckedRequest, publicUrl: string): void {
  refuseForeign(request, publicUrl);
  if (request.method === 'GET' || request.method === 'HEAD') return;
  const { origin, 'sec-fetch-site': site } = request.headers;
  if (origin === undefined && site === undefined) throw fault('FORBIDDEN');
}

/** Programs send passwords too, without naming an origin. Tokens need no check: no browser sends one by itself. */
export function refuseForeignBasic(request: CheckedRequest, publicUrl: () => string): void {
  const { authorization, origin, 'sec-fetch-site': site } = request.headers;
  if (origin === undefined && site === undefined) return;
  if (authorization !== undefined && /^basic\b/i.test(authorization)) refuseForeign(request, publicUrl());
}

/**
 * Compares the host alone if it is the requested one, because a proxy may have turned https into http. Some proxies add the
 * default port, which an origin omits.
 */
function isOurs(origin: string, host: string, publicUrl: string): boolean {
  if (!URL.canParse(origin)) return false;
  const from = new URL(origin);
  if (!/^https?:$/.test(from.protocol)) return false;
  if (from.origin === new URL(publicUrl).origin || from.host === host) return true;
  return host === `${from.host}:${from.protocol === 'https:' ? 443 : 80}`;
}
