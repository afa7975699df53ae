// Checks the head of every request before anything else. A valid head costs no allocation.

import { isIPv6 } from 'node:net';
import { fault } from '../../faults.ts';
import type { HttpRequest } from '../clients/http-request.ts';

/** More headers are refused: ignoring some could ignore any of them. */
export const HEADERS_MAX = 256;

export function checkHead(request: HttpRequest): void {
  const { rawHeaders, httpVersion, url = '' } = request.raw;
  if (rawHeaders.length > 2 * HEADERS_MAX) {
    throw fault('INVALID_PARAMETER', { parameter: 'request', reason: `has more than ${HEADERS_MAX} headers` });
  }
  // The router would end the path there, and what follows could be an ID: `DELETE …/records/#12` names no record.
  if (url.includes('#')) {
    throw fault('INVALID_PARAMETER', { parameter: 'request', reason: 'has a # in its URL, where it is written %23' });
  }
  const hosts = refuseRepeated(rawHeaders);
  if (hosts === 0 && httpVersion === '1.1') {
    throw fault('INVALID_PARAMETER', { parameter: 'Host', reason: 'is missing' });
  }
  const { headers } = request.raw;
  if (url.charCodeAt(0) !== SLASH) {
    const [, authority] = ABSOLUTE.exec(url) ?? [];
    // It takes precedence over Host (RFC 9112 section 3.2.2).
    if (authority !== undefined) headers.host = authority;
  }
  if (headers.host !== undefined && headers.host !== validHost) checkHost(headers.host);
  // `host` takes it from trusted proxies only.
  if (headers['x-forwarded-host'] !== undefined) checkHost(request.host);
}

const SLASH = 47;
const ABSOLUTE = /^https?:\/\/([^/?#]*)/i;

/** Without the scheme and host that a proxy may send, and without the query. */
const writtenPath = (url: string): string =>
  (url.charCodeAt(0) === SLASH ? url : url.replace(ABSOLUTE, '')).split('?', 1)[0]!;

/** The path of a request target. A slash at its end has no meaning. */
export const pathOf = (url: string): string => writtenPath(url).replace(/(?<=.)\/$/, '');

/** For operations that would destroy data if the identifier at the end of their path were empty. */
export function refuseFinalSlash(url: string): void {
  if (!writtenPath(url).endsWith('/')) return;
  const reason = 'must not end with a slash: the ID after it may be missing';
  throw fault('INVALID_PARAMETER', { parameter: 'path', reason });
}

/** For operations that delete more the less they are told: who names records in a body means those alone. */
export function refuseBody({ headers }: HttpRequest): void {
  if (headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0) return;
  throw fault('INVALID_BODY', { reason: 'must be empty: the operation would delete more than a body could name' });
}

/** Node would take the first value, and a proxy in front of it may have taken the second. Returns the number of Host headers. */
function refuseRepeated(rawHeaders: readonly string[]): number {
  let hosts = 0;
  let authorizations = 0;
  let types = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    // Lengths first: lower-casing every name would be measurable.
    if (name.length === 'host'.length) {
      if (name.toLowerCase() === 'host') hosts += 1;
    } else if (name.length === 'content-type'.length) {
      if (name.toLowerCase() === 'content-type') types += 1;
    } else if (name.length === 'authorization'.length && name.toLowerCase() === 'authorization') authorizations += 1;
  }
  if (hosts > 1) throw repeated('Host');
  if (authorizations > 1) throw repeated('Authorization');
  if (types > 1) throw repeated('Content-Type');
  return hosts;
}

const repeated = (parameter: string) => fault('INVALID_PARAMETER', { parameter, reason: 'is given more than once' });

const HOST = /^(?:\[([\da-f:.]+)\]|(?:[\w.~!$&'()*+,;=-]|%[\da-f]{2})*)(?::(\d{0,5}))?$/i;
const PORT_MAX = 65_535;
/** The last valid host: mostly all requests have the same. */
let validHost = '';

/** The host goes into links. An empty one stands for none (RFC 9110 section 7.2). */
function checkHost(host: string): void {
  const found = HOST.exec(host);
  const [, address, port] = found ?? [];
  if (found === null || (address !== undefined && !isIPv6(address)) || Number(port ?? 0) > PORT_MAX) {
    throw fault('INVALID_PARAMETER', { parameter: 'Host', reason: 'is not a host, with or without a port' });
  }
  validHost = host;
}
