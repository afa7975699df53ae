// Refuses to turn own users into shared users or the reverse while the application has users. Checked twice: in the plan,
// and in the switch, where no user can be added any more.

import { fault } from '../../faults.ts';
import { lockOutWriters } from '../../store/applications/table-changes.ts';
import type { JointTransaction } from '../../store/database/handles.ts';
import { countUsers } from '../../store/people/users.ts';
import type { Definition } from '../../wire/publish-document.ts';

/**
 * Users of one kind cannot become users of the other, nor shared users of another organization. With a lock timeout, no
 * user can be added until the commit.
 */
export async function refuseModeChange(
  tx: JointTransaction,
  { current, next, lockTimeoutMs }: { current: Definition; next: Definition; lockTimeoutMs?: number },
): Promise<void> {
  const switched = current.sharedUsersModeEnabled !== next.sharedUsersModeEnabled;
  const moved = current.sharedUsersModeEnabled && current.organization !== next.organization;
  if (!switched && !moved) return;
  if (lockTimeoutMs !== undefined) await lockOutWriters(tx.application, 'users', lockTimeoutMs);
  const users = await countUsers(tx.application);
  if (users > 0) throw fault('MODE_HAS_USERS', { users });
}
