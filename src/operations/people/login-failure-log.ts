// Logs wrong credentials of an existing user in the activity log. In the background, because the time of the reply must not
// reveal that the user exists, and at most once a minute per user over all nodes.

import type { BackgroundTask, LoginFailure } from '../../context.ts';
import type { IdSource } from '../../domain/ids.ts';
import { BoundedMap } from '../../load/bounded-map.ts';
import { loggedWrite } from '../../store/activity/logged-write.ts';
import type { Database } from '../../store/database/database.ts';
import { recordLoginFailure } from '../../store/people/accounts.ts';
import { activityEntries } from '../activity/entries.ts';

const APART_MS = 60_000;
/** Users whose last logged failure this node remembers. */
const REMEMBERED_MAX = 10_000;

interface Dependencies {
  readonly database: Database;
  readonly ids: IdSource;
  readonly now: () => number;
  readonly inBackground: (task: BackgroundTask, work: () => Promise<void>) => boolean;
}

export class LoginFailures {
  readonly #dependencies: Dependencies;
  /** When a failure of the user was last logged. */
  readonly #loggedAt = new BoundedMap<string, number>(REMEMBERED_MAX);

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  report(failure: LoginFailure): void {
    const { application, user } = failure;
    if (!application.definition.activityLogEnabled) return;
    const key = `${application.id}/${user.id}`;
    const { now, inBackground } = this.#dependencies;
    const at = now();
    if (at - (this.#loggedAt.get(key) ?? Number.NEGATIVE_INFINITY) < APART_MS) return;
    if (!inBackground('loginFailed', () => this.#log(failure, at))) return;
    this.#loggedAt.set(key, at);
  }

  async #log({ application, user, source }: LoginFailure, at: number): Promise<void> {
    const { database, ids } = this.#dependencies;
    const store = database.application(application.id);
    const scene = { application, caller: user, source, ids };
    const entries = activityEntries(scene, { kind: 'session.loginFailed', member: 'userId' }, [{ userId: user.id }]);
    const times = { at: new Date(at).toISOString(), since: new Date(at - APART_MS).toISOString() };
    await loggedWrite(store, recordLoginFailure(store.schema, user.id, times), entries);
  }
}
