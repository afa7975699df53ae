// Passwords of users and shared users: the rule for new ones, hashing them, and changing one's own. Forgotten passwords are
// in password-resets.

import type { Context, OperatorContext, PeopleDependencies, WithoutSlot } from '../../context.ts';
import type { ActivitySource } from '../../domain/activity/activity.ts';
import type { PreparedApplication } from '../../domain/definition/application.ts';
import type { IdSource } from '../../domain/ids.ts';
import { accountKey, passwordWeakness } from '../../domain/people/passwords.ts';
import { sessionEpoch } from '../../domain/people/sessions.ts';
import { fault } from '../../faults.ts';
import type { Transaction } from '../../store/database/handles.ts';
import { announceToNodes, type Invalidation } from '../../store/nodes/messages.ts';
import { type Account, getAccount, presentHash } from '../../store/people/accounts.ts';
import { setSharedUserPassword, setUserPassword } from '../../store/people/passwords.ts';
import { moveSession } from '../../store/people/sessions.ts';
import type { PasswordChange } from '../../wire/sessions.ts';
import { activityEntries, writeEntries } from '../activity/entries.ts';

export function refuseWeak(password: string, property: string): void {
  const weakness = passwordWeakness(password);
  if (weakness !== undefined) throw fault('WEAK_PASSWORD', { property, reason: weakness });
}

/** No application has such an identifier. */
const OPERATOR_TENANT = 'operator';

interface HashingScene {
  readonly application: { readonly id: string };
  readonly people: Pick<PeopleDependencies, 'hashPassword'>;
  readonly withoutSlot: WithoutSlot;
}

export const hashForPeople = ({ application, people, withoutSlot }: HashingScene, password: string) =>
  withoutSlot((signal) => people.hashPassword({ tenant: application.id, password, signal }));

export const hashForOperator = ({ hashPassword }: Pick<OperatorContext, 'hashPassword'>, password: string) =>
  hashPassword({ tenant: OPERATOR_TENANT, password });

/** A user changes their own password. All other sessions of the account end; the session of the request stays. */
export async function changePassword(
  context: Context,
  { currentPassword, newPassword }: PasswordChange,
): Promise<void> {
  const { application, caller, source, people, database, sessionId, withoutSlot } = context;
  if (application.singleSignOn) {
    throw fault('PASSWORD_NOT_ALLOWED', { property: 'newPassword', reason: 'single sign-on is on' });
  }
  refuseWeak(newPassword, 'newPassword');
  const name = accountKey(application.id, caller.id);
  const account = await getAccount(database, application.id, caller.id);
  const said = { account: name, hash: presentHash(account), password: currentPassword };
  const presented = { address: source.ip, tenant: application.id, ...said };
  const proved = await withoutSlot((signal) => people.provesPassword({ ...presented, signal }));
  if (!proved || account === undefined) {
    people.loginFailed({ application, user: { id: caller.id, name: caller.name }, source });
    throw wrongPassword();
  }
  const passwordHash = await hashForPeople(context, newPassword);
  const changed = await replacePassword(context, {
    account,
    passwordHash,
    also: async (tx, epoch) =>
      sessionId === undefined ||
      moveSession(tx, sessionId, { session: sessionEpoch(application, epoch), account: epoch }),
  });
  // Another request has changed it meanwhile.
  if (!changed) throw wrongPassword();
}

const wrongPassword = () =>
  fault('INVALID_PROPERTY', { property: 'currentPassword', reason: 'is not the present password' });

/** What changing a password needs of a context. */
interface Scene {
  readonly application: PreparedApplication;
  readonly source: ActivitySource;
  readonly ids: IdSource;
  readonly people: Context['people'];
  readonly database: Context['database'];
}

export interface PasswordReplacement {
  readonly account: Account;
  readonly passwordHash: string;
  /** Runs in the same transaction; false rolls everything back. */
  readonly also: (tx: Transaction, epoch: string) => Promise<boolean>;
}

/**
 * Stores the new password, which ends the sessions of the account, logs the change and announces it to every node. False
 * when the account has changed since it was read, or `also` returns false: then nothing is stored.
 */
export async function replacePassword(
  scene: Scene,
  { account, passwordHash, also }: PasswordReplacement,
): Promise<boolean> {
  const { application, people, database } = scene;
  const { shared, user } = account;
  const invalidation: Invalidation = shared === undefined ? { application: application.id } : { sharedUser: shared.id };
  const epoch = shared === undefined ? `${user.sessionEpoch + 1}` : `${user.sessionEpoch}.${shared.sessionEpoch + 1}`;
  try {
    await database.jointTransaction(application.id, async (tx) => {
      const stored =
        shared === undefined
          ? await setUserPassword(tx.application, account, passwordHash)
          : await setSharedUserPassword(tx.system, shared, passwordHash);
      if (!stored || !(await also(tx.application, epoch))) throw new Changed();
      await writeEntries(tx.application, entriesOf(scene, account));
      await announceToNodes(tx.system, invalidation);
    });
  } catch (error) {
    if (error instanceof Changed) return false;
    throw error;
  }
  people.invalidate(invalidation);
  return true;
}

/** Rolls the transaction back. */
class Changed extends Error {}

function entriesOf(scene: Scene, { caller, user, shared }: Account) {
  const at = { ...scene, caller };
  return shared === undefined
    ? activityEntries(at, { kind: 'user.update', member: 'userId' }, [{ userId: user.id }])
    : activityEntries(at, { kind: 'sharedUser.update', member: 'sharedUserId' }, [{ sharedUserId: shared.id }]);
}
