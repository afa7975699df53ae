// Checks the password of an account, by one rule wherever passwords are accepted: guessing is slowed down, and a wrong
// password takes as long as an unknown account.

import type { PasswordProof } from '../../context.ts';
import type { Throttle } from '../throttling/throttle.ts';
import type { PasswordCheck } from './password-check.ts';

export const passwordProof =
  (throttle: Throttle, passwords: PasswordCheck): PasswordProof =>
  async ({ address, ...presented }) => {
    const { account } = presented;
    throttle.check(address, account);
    const matches = await passwords.matches(presented);
    // Checked again because other requests may have failed meanwhile: concurrent guesses must not avoid the wait.
    throttle.check(address, account);
    if (matches) throttle.succeed(address, account);
    else throttle.fail(address, account);
    return matches;
  };
