// How a server proves that it knows the operator key, without showing it: an HMAC of what the other side made up. Commands
// ask for it before they send the key, so that nobody gets it by listening where a server was.

import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';
import type { OperatorProof } from '../../wire/operator.ts';

/** Keeps these apart from whatever else may ever be made with the key. */
const PURPOSE = 'cartulary operator proof 1';

/** An address and port as both ends of a connection spell them. */
export function endpointOf(address = '', port = 0): string {
  return `${address.replace(/^::ffff:(?=[\d.]+$)/, '').replace(/%.*$/, '')} ${port}`;
}

/**
 * `here` says of which end of the connection the server is: who passes the question on to the real server, to pass on
 * its answer, gets one for another address than the one that was asked. Behind a proxy only `knows` can be compared.
 */
export function proveOperatorKey(key: KeyObject, nonce: string, endpoint: string): OperatorProof {
  const prove = (what: string) => createHmac('sha256', key).update(`${PURPOSE}\0${nonce}\0${what}`).digest('base64url');
  return { knows: prove(''), here: prove(endpoint) };
}

export function isSameProof(given: unknown, expected: string): boolean {
  if (typeof given !== 'string' || given.length !== expected.length) return false;
  const [one, other] = [Buffer.from(given), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}
