// The operator's door: one key, compared in constant time. Wrong keys are slowed down like wrong passwords.

import { createHash, timingSafeEqual } from 'node:crypto';
import { unauthorized } from './authenticate.ts';
import { readBearerText } from './credentials.ts';
import type { Throttle } from './throttle.ts';

const digest = (text: string): Uint8Array => createHash('sha256').update(text).digest();

export class OperatorGate {
  readonly #key: Uint8Array;
  readonly #throttle: Throttle;

  constructor(operatorKey: string, throttle: Throttle) {
    this.#key = digest(operatorKey);
    this.#throttle = throttle;
  }

  authenticate(header: string | undefined, address: string): void {
    if (header === undefined || header.trim() === '') throw unauthorized();
    const key = readBearerText(header);
    if (key !== undefined && timingSafeEqual(digest(key), this.#key)) return;
    this.#throttle.check(address, 'operator');
    this.#throttle.fail(address, 'operator');
    throw unauthorized();
  }
}
