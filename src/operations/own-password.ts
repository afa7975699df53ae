// People change their own password, for which they have to know the present one.

import type { Context } from '../context.ts';
import { accountName } from '../domain/account-names.ts';
import { fault } from '../faults.ts';
import { getAccount, presentHash } from '../store/accounts.ts';
import { moveSession } from '../store/sessions.ts';
import type { PasswordChange } from '../wire/sessions.ts';
import { changePassword, refuseWeak } from './password-changes.ts';

/** All other sessions of the account end; the one by which it is asked for goes on. */
export async function change(context: Context, { currentPassword, newPassword }: PasswordChange): Promise<void> {
  const { application, caller, source, people, throttle, sessionId } = context;
  if (application.singleSignOn) {
    throw fault('PASSWORD_NOT_ALLOWED', { property: 'newPassword', reason: 'single sign-on is on' });
  }
  refuseWeak(newPassword, 'newPassword');
  const name = accountName(application.id, caller.id);
  throttle.check(source.ip, name);
  const account = await getAccount(people.database, application.id, caller.id);
  const matches = await people.passwordMatches(name, presentHash(account), currentPassword);
  throttle.check(source.ip, name);
  if (account === undefined || !matches) {
    throttle.fail(source.ip, name);
    throw wrongPassword();
  }
  throttle.succeed(source.ip, name);
  const passwordHash = await people.hashPassword(newPassword);
  const changed = await changePassword(context, {
    account,
    passwordHash,
    also: async (tx, epoch) => {
      if (sessionId === undefined) return true;
      const { text, params } = moveSession(tx.schema, sessionId, epoch);
      return (await tx.rows(text, params)).length > 0;
    },
  });
  // Somebody else has changed it meanwhile.
  if (!changed) throw wrongPassword();
}

const wrongPassword = () =>
  fault('INVALID_PROPERTY', { property: 'currentPassword', reason: 'is not the present password' });
