// Authenticates the operator: one key, compared in constant time. Wrong keys are slowed down like wrong passwords: while an
// address has to wait nothing is compared, so that further guesses learn nothing. Users whom the operator has named are
// authenticated by their sessions.

import { createHash, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto';
import { proveOperatorKey } from '../../domain/people/server-proof.ts';
import { fault } from '../../faults.ts';
import type { Reader } from '../../store/database/handles.ts';
import { isOperator, type NamedUser } from '../../store/people/operators.ts';
import type { OperatorProof } from '../../wire/operator.ts';
import type { Throttle } from '../throttling/throttle.ts';
import { hasScheme, readBearerText } from './credentials.ts';

const ACCOUNT = 'operator';

const refused = (params?: { reason: string }) =>
  fault('UNAUTHORIZED', params, { 'www-authenticate': 'Bearer realm="cartulary"' });

const digest = (text: string): Uint8Array => createHash('sha256').update(text).digest();

export class OperatorGate {
  readonly #digest: Uint8Array;
  readonly #key: KeyObject;
  readonly #throttle: Throttle;

  constructor(operatorKey: string, throttle: Throttle) {
    this.#digest = digest(operatorKey);
    this.#key = createSecretKey(Buffer.from(operatorKey));
    this.#throttle = throttle;
  }

  authenticate(header: string | undefined, address: string): void {
    if (header === undefined || header.trim() === '') throw refused();
    this.#throttle.check(address, ACCOUNT);
    const key = readBearerText(header);
    // Failures stay counted: otherwise a metrics collector with the key would reset the count for a guesser at its address.
    if (key !== undefined && timingSafeEqual(digest(key), this.#digest)) return;
    this.#throttle.fail(address, ACCOUNT);
    throw refused(hasScheme(header, ['bearer']) ? undefined : { reason: 'Authorization must begin with Bearer' });
  }

  prove(nonce: string, endpoint: string): OperatorProof {
    return proveOperatorKey(this.#key, nonce, endpoint);
  }
}

/** For a user whose session is valid. */
export async function refuseUnnamed(system: Reader, user: NamedUser): Promise<void> {
  if (!(await isOperator(system, user))) throw fault('FORBIDDEN');
}
