// A new password for somebody, by whichever way they proved who they are: stored where it belongs, told to the log, and
// heard of by every server. It ends the sessions of the account.

import type { Context } from '../../context.ts';
import type { ActivitySource } from '../../domain/activity/activity.ts';
import type { PreparedApplication } from '../../domain/definition/application.ts';
import type { IdSource } from '../../domain/ids.ts';
import { insertEntries } from '../../store/activity/activity.ts';
import type { Transaction } from '../../store/database/handles.ts';
import type { Statement } from '../../store/database/statements.ts';
import { announce, type News } from '../../store/nodes/hearing.ts';
import type { Account } from '../../store/people/accounts.ts';
import { setSharedUserPassword, setUserPassword } from '../../store/people/passwords.ts';
import { activityEntries } from '../activity/entries.ts';

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
  /** What else happens in the same transaction, or does not happen at all when it is false. */
  readonly also: (tx: Transaction, epoch: string) => Promise<boolean>;
}

/** False when the account has changed since it was read, or `also` is false: nothing has happened then. */
export async function changePassword(
  scene: Scene,
  { account, passwordHash, also }: PasswordReplacement,
): Promise<boolean> {
  const { application, people, database } = scene;
  const { shared, user } = account;
  const news: News = shared === undefined ? { application: application.id } : { sharedUser: shared.id };
  const epoch = shared === undefined ? `${user.sessionEpoch + 1}` : `${user.sessionEpoch}.${shared.sessionEpoch + 1}`;
  try {
    await database.together(application.id, async (tx) => {
      const home = shared === undefined ? tx.application : tx.system;
      const change =
        shared === undefined
          ? setUserPassword(home.schema, account, passwordHash)
          : setSharedUserPassword(shared, passwordHash);
      if ((await run(home, change)).length === 0 || !(await also(tx.application, epoch))) throw new Changed();
      const entries = entriesOf(scene, account);
      if (entries.length > 0) await run(tx.application, insertEntries(tx.application.schema, entries));
      await announce(tx.system, news);
    });
  } catch (error) {
    if (error instanceof Changed) return false;
    throw error;
  }
  people.hear(news);
  return true;
}

class Changed extends Error {}

const run = (tx: Transaction, { text, params }: Statement) => tx.rows(text, params);

function entriesOf(scene: Scene, { caller, user, shared }: Account) {
  const at = { ...scene, caller };
  return shared === undefined
    ? activityEntries(at, { kind: 'user.update', member: 'userId' }, [{ userId: user.id }])
    : activityEntries(at, { kind: 'sharedUser.update', member: 'sharedUserId' }, [{ sharedUserId: shared.id }]);
}
