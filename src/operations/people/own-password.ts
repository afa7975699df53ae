// People change their own password, for which they have to know the present one.

import type { Context } from '../../context.ts';
import { accountName } from '../../domain/people/account-names.ts';
import { sessionEpoch } from '../../domain/people/session-epochs.ts';
import { fault } from '../../faults.ts';
import { getAccount, presentHash } from '../../store/people/accounts.ts';
import { moveSession } from '../../store/people/sessions.ts';
import type { PasswordChange } from '../../wire/sessions.ts';
import { hashForPeople } from './new-passwords.ts';
import { changePassword } from './password-changes.ts';
import { refuseWeak } from './weak-passwords.ts';

/** All other sessions of the account end; the one by which it is asked for goes on. */
export async function change(context: Context, { currentPassword, newPassword }: PasswordChange): Promise<void> {
  const { application, caller, source, people, database, sessionId, withoutSlot } = context;
  if (application.singleSignOn) {
    throw fault('PASSWORD_NOT_ALLOWED', { property: 'newPassword', reason: 'single sign-on is on' });
  }
  refuseWeak(newPassword, 'newPassword');
  const name = accountName(application.id, caller.id);
  const account = await getAccount(database, application.id, caller.id);
  const said = { account: name, hash: presentHash(account), password: currentPassword };
  const presented = { address: source.ip, tenant: application.id, ...said };
  const proved = await withoutSlot((signal) => people.provesPassword({ ...presented, signal }));
  if (!proved || account === undefined) {
    people.loginFailed({ application, user: { id: caller.id, name: caller.name }, source });
    throw wrongPassword();
  }
  const passwordHash = await hashForPeople(context, newPassword);
  const changed = await changePassword(context, {
    account,
    passwordHash,
    also: async (tx, epoch) =>
      sessionId === undefined ||
      moveSession(tx, sessionId, { session: sessionEpoch(application, epoch), account: epoch }),
  });
  // Somebody else has changed it meanwhile.
  if (!changed) throw wrongPassword();
}

const wrongPassword = () =>
  fault('INVALID_PROPERTY', { property: 'currentPassword', reason: 'is not the present password' });
