// Whether somebody knows the password of an account: the one rule of every door at which one is presented. Who guesses
// is slowed down, and a wrong password takes as long as an account that there is not.

import type { PasswordProof } from '../../context.ts';
import type { Throttle } from '../throttling/throttle.ts';
import type { PasswordCheck } from './password-check.ts';

export const passwordProof =
  (throttle: Throttle, passwords: PasswordCheck): PasswordProof =>
  async ({ address, ...presented }) => {
    const { account } = presented;
    throttle.check(address, account);
    const matches = await passwords.matches(presented);
    // Again, because others may have failed meanwhile: many guesses at once are no way around the wait.
    throttle.check(address, account);
    if (matches) throttle.succeed(address, account);
    else throttle.fail(address, account);
    return matches;
  };
