// Who manages the shared users of an organization: a user of one of its applications with organization access, or the
// operator. What the operator does belongs to no application, so that no activity log has it.

import type { Context, OperatorContext, PeopleDependencies } from '../../context.ts';
import { fault } from '../../faults.ts';
import type { Transaction } from '../../store/database/handles.ts';
import { getUser } from '../../store/people/users.ts';
import { assertGeneration, fenceGeneration } from '../../store/records/fence.ts';
import type { ActivityKind } from '../../wire/activity-kinds.ts';
import { activityEntries, writeEntries } from '../activity/entries.ts';
import { existingOrganization } from './organizations.ts';
import { hashForOperator, hashForPeople } from './passwords.ts';

export interface SharedUserManager
  extends Pick<Context, 'database' | 'ids' | 'now'>,
    Pick<PeopleDependencies, 'invalidate' | 'inBackground'> {
  readonly organization: string;
  readonly singleSignOn: boolean;
  /** Whether the operator key proved who it is. */
  readonly hasKey: boolean;
  readonly hashPassword: (password: string) => Promise<string>;
  /** Runs the change and writes its log entry in one transaction. */
  readonly transaction: <T>(
    activity: { readonly kind: ActivityKind; readonly sharedUserId: string },
    work: (system: Transaction, refuseSelf: () => Promise<void>) => Promise<T>,
  ) => Promise<T>;
}

/** Throws where the application has no shared users. Comes after the permission, before anything else. */
export function callerAsOrganizationManager(context: Context): SharedUserManager {
  const { application, people, database, ids, now } = context;
  const { sharedUsersModeEnabled, organization } = application.definition;
  if (!sharedUsersModeEnabled) throw fault('FEATURE_DISABLED', { feature: 'sharedUsers' });
  const { invalidate, inBackground } = people;
  return {
    ...{ database, ids, now, invalidate, inBackground, organization },
    singleSignOn: application.singleSignOn,
    hasKey: false,
    hashPassword: (password) => hashForPeople(context, password),
    transaction: ({ kind, sharedUserId }, work) =>
      database.jointTransaction(application.id, async (tx) => {
        await refuseStale(context, tx.application);
        const done = await work(tx.system, () => refuseSelf(context, tx.application, sharedUserId));
        const entries = activityEntries(context, { kind, member: 'sharedUserId' }, [{ sharedUserId }]);
        await writeEntries(tx.application, entries);
        return done;
      }),
  };
}

export async function operatorAsOrganizationManager(
  context: OperatorContext,
  name: string,
): Promise<SharedUserManager> {
  const { database, ids, now, invalidate, inBackground } = context;
  const { singleSignOn } = await existingOrganization(context, name);
  return {
    ...{ database, ids, now, invalidate, inBackground },
    organization: name,
    singleSignOn: singleSignOn !== null,
    hasKey: context.namedUser === undefined,
    hashPassword: (password) => hashForOperator(context, password),
    transaction: (_activity, work) => database.system.transaction((tx) => work(tx, async () => undefined)),
  };
}

/** Fails when the mode was switched off meanwhile, or the application moved to another organization. */
async function refuseStale({ application: { generation } }: Context, tx: Transaction): Promise<void> {
  const { text, params } = fenceGeneration(tx.schema);
  assertGeneration(await tx.rows(text, params), generation);
}

async function refuseSelf({ caller }: Context, tx: Transaction, sharedUserId: string): Promise<void> {
  const own = await getUser(tx, caller.id);
  if (own?.sharedUserId === sharedUserId) {
    throw fault('FORBIDDEN_SELF_CHANGE', { reason: 'a shared user cannot disable or delete themselves' });
  }
}
