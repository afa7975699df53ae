// A server proves that it knows the operator key without sending it, by an HMAC of the client's nonce. Commands request the
// proof before they send the key, so that a program that listens at a stopped server's address does not get the key.

import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';
import type { OperatorProof } from '../../wire/operator.ts';

/** Keeps these HMACs distinct from any other use of the key. */
const PURPOSE = 'cartulary operator proof 1';

/** An address and port as both ends of a connection spell them. */
export function endpointOf(address = '', port = 0): string {
  return `${address.replace(/^::ffff:(?=[\d.]+$)/, '').replace(/%.*$/, '')} ${port}`;
}

/**
 * `here` includes the server's end of the connection: a relay that forwards the nonce to the real server gets a proof for
 * another address than its own. Behind a proxy only `knows` can be compared.
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
