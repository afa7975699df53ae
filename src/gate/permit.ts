// What a user needs to be allowed at all. The one authorization function that every route of the interface passes;
// which records a user may touch is domain/access.

import type { Caller } from '../domain/access.ts';
import { fault } from '../faults.ts';

/** `self`: whoever somebody is, and only about themselves. */
export type Permission = 'self' | 'api' | 'admin' | 'management' | 'organization';

export function permit(caller: Caller, permission: Permission): void {
  switch (permission) {
    case 'self':
      return;
    case 'api':
    case 'admin':
      if (!caller.apiAccess) throw fault('API_ACCESS_REQUIRED');
      if (permission === 'admin' && !caller.admin) throw fault('ADMIN_REQUIRED');
      return;
    case 'management':
    case 'organization':
      if (!caller.managementApiAccess) throw fault('MANAGEMENT_API_ACCESS_REQUIRED');
      if (permission === 'organization' && !caller.organizationManagementApiAccess) {
        throw fault('ORGANIZATION_MANAGEMENT_API_ACCESS_REQUIRED');
      }
  }
}
