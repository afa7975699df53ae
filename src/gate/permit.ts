// Checks whether a user may call a route at all. Every route for users passes this one function; which records a user may
// read or write is decided in domain/people/access.

import type { PreparedApplication } from '../domain/definition/application.ts';
import type { Caller } from '../domain/people/access.ts';
import { inPlan } from '../domain/quota.ts';
import { fault } from '../faults.ts';
import type { QuotaGroup } from '../wire/publish-document.ts';

/** `self`: any user, and only for that user's own data. */
export type Permission = 'self' | 'api' | 'admin' | 'management' | 'organization';

export interface Permitted {
  readonly permission: Permission;
  readonly group?: QuotaGroup;
}

export function permit(application: PreparedApplication, caller: Caller, { permission, group }: Permitted): void {
  permitCaller(caller, permission);
  if (group !== undefined && !inPlan(application.definition, group)) throw fault('NOT_IN_PLAN', { group });
}

function permitCaller(caller: Caller, permission: Permission): void {
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
