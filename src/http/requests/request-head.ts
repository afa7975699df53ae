// What the head of every request has to keep to before anything else is looked at. On the path of every request: nothing is made here
// for one that is in order.

import { isIPv6 } from 'node:net';
import { fault } from '../../faults.ts';
import type { HttpRequest } from '../clients/http-request.ts';

/** Whoever sends more is told: to leave some out would be to leave out any. */
export const HEADERS_MAX = 256;

export function checkHead(request: HttpRequest): void {
  const { rawHeaders, httpVersion, url = '' } = request.raw;
  if (rawHeaders.length > 2 * HEADERS_MAX) {
    throw fault('INVALID_PARAMETER', { parameter: 'request', reason: `has more than ${HEADERS_MAX} headers` });
  }
  const hosts = refuseRepeated(rawHeaders);
  if (hosts === 0 && httpVersion === '1.1') {
    throw fault('INVALID_PARAMETER', { parameter: 'Host', reason: 'is missing' });
  }
  const { headers } = request.raw;
  if (url.charCodeAt(0) !== SLASH) {
    const [, authority] = ABSOLUTE.exec(url) ?? [];
    // It goes before what Host says (RFC 9112 section 3.2.2).
    if (authority !== undefined) headers.host = authority;
  }
  if (headers.host !== undefined && headers.host !== validHost) checkHost(headers.host);
  // Of a proxy that is trusted; of others it is no concern, and the host is the same again.
  if (headers['x-forwarded-host'] !== undefined) checkHost(request.host);
}

const SLASH = 47;
const ABSOLUTE = /^https?:\/\/([^/?#]*)/i;

/** The target without scheme and host, with which a proxy may send it. */
export const pathAndQuery = (url: string): string => (url.charCodeAt(0) === SLASH ? url : url.replace(ABSOLUTE, ''));

/** Node would take the first. Another server on the way may have taken the second. Gives the number of Host headers. */
function refuseRepeated(rawHeaders: readonly string[]): number {
  let hosts = 0;
  let authorizations = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    // By their length first: spelling every name in small letters would be measurable.
    if (name.length === 'host'.length) {
      if (name.toLowerCase() === 'host') hosts += 1;
    } else if (name.length === 'authorization'.length && name.toLowerCase() === 'authorization') authorizations += 1;
  }
  if (hosts > 1) throw fault('INVALID_PARAMETER', { parameter: 'Host', reason: 'is given more than once' });
  if (authorizations > 1) {
    throw fault('INVALID_PARAMETER', { parameter: 'Authorization', reason: 'is given more than once' });
  }
  return hosts;
}

const HOST = /^(?:\[([\da-f:.]+)\]|(?:[\w.~!$&'()*+,;=-]|%[\da-f]{2})*)(?::\d{0,5})?$/i;
/** Of the last that was looked at: mostly all are the same. */
let validHost = '';

/** It goes into links. Empty, it stands for none (RFC 9110 section 7.2). */
function checkHost(host: string): void {
  const found = HOST.exec(host);
  if (found === null || (found[1] !== undefined && !isIPv6(found[1]))) {
    throw fault('INVALID_PARAMETER', { parameter: 'Host', reason: 'is not a host, with or without a port' });
  }
  validHost = host;
}
