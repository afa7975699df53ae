// Keeps other sites from using what a browser sends by itself, a session's cookie or a password that it remembers: a
// browser says where a request comes from (Sec-Fetch-Site, and Origin with everything but GET and HEAD), and no page can
// make it say otherwise. The cookie is SameSite=Strict besides; neither rests on the other.

import { fault } from '../../faults.ts';
import type { HttpRequest } from '../clients/http-request.ts';

type Asked = Pick<HttpRequest, 'method' | 'headers' | 'host'>;

const single = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value.join(', ') : value;

/** What a browser says of itself must be that the request comes from us; who says nothing is no browser. */
export function refuseForeign({ headers, host }: Asked, publicUrl: string): void {
  const site = single(headers['sec-fetch-site']);
  if (site !== undefined && site !== 'same-origin' && site !== 'none') throw fault('FORBIDDEN');
  const { origin } = headers;
  if (origin !== undefined && !isOurs(origin, host, publicUrl)) throw fault('FORBIDDEN');
}

/** With a session's cookie: who changes something has to say where they come from. */
export function refuseCrossSite(request: Asked, publicUrl: string): void {
  refuseForeign(request, publicUrl);
  if (request.method === 'GET' || request.method === 'HEAD') return;
  const { origin, 'sec-fetch-site': site } = request.headers;
  if (origin === undefined && site === undefined) throw fault('FORBIDDEN');
}

/** Programs send passwords too, and say nothing of where they come from. No browser sends a token by itself. */
export function refuseForeignBasic(request: Asked, publicUrl: () => string): void {
  const { authorization, origin, 'sec-fetch-site': site } = request.headers;
  if (origin === undefined && site === undefined) return;
  if (authorization !== undefined && /^basic\b/i.test(authorization)) refuseForeign(request, publicUrl());
}

/**
 * By the host alone where it is the one that was asked: a proxy may have taken the s of https away. Some proxies write the
 * port out that an origin leaves unsaid.
 */
function isOurs(origin: string, host: string, publicUrl: string): boolean {
  if (!URL.canParse(origin)) return false;
  const from = new URL(origin);
  if (!/^https?:$/.test(from.protocol)) return false;
  if (from.origin === new URL(publicUrl).origin || from.host === host) return true;
  return host === `${from.host}:${from.protocol === 'https:' ? 443 : 80}`;
}
