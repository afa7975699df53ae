// What a user needs to be allowed at all. The one authorization function that every route of the interface passes;
// which records a user may touch is domain/access.

import type { Caller } from '../domain/access.ts';
import { fault } from '../faults.ts';

export type Permission = 'api';

export function permit(caller: Caller, permission: Permission): void {
  if (permission === 'api' && !caller.apiAccess) throw fault('API_ACCESS_REQUIRED');
}
