// Whose tokens and sessions a user may see and end.

import type { Context } from '../../context.ts';
import { fault } from '../../faults.ts';
import { getUser } from '../../store/people/users.ts';

/** Your own: always. Others': management access, and organization access where that user has it. */
export async function permitFor({ caller, store }: Context, userId: string): Promise<void> {
  if (userId === caller.id) return;
  if (!caller.managementApiAccess) throw fault('MANAGEMENT_API_ACCESS_REQUIRED');
  const user = await getUser(store, userId);
  if (user === undefined) throw fault('USER_NOT_FOUND', { userId });
  if (user.organizationManagementApiAccess && !caller.organizationManagementApiAccess) {
    throw fault('ORGANIZATION_MANAGEMENT_API_ACCESS_REQUIRED');
  }
}
