// Access to records: the only file that knows what `creatorOnly` means. Statements take the scope as a parameter, so that
// lists, searches and single records all follow the same rule.

import type { Collection } from '../../wire/applications.ts';

export interface Caller {
  readonly id: string;
  readonly name: string;
  readonly admin: boolean;
  readonly apiAccess: boolean;
  readonly managementApiAccess: boolean;
  readonly organizationManagementApiAccess: boolean;
}

type Access = Pick<Collection, 'readAccessType' | 'writeAccessType'>;

/** The only creator whose records the caller may read; undefined when the caller may read all. */
export function readScope(collection: Access, caller: Caller): string | undefined {
  return collection.readAccessType === 'creatorOnly' && !caller.admin ? caller.id : undefined;
}

/** The only creator whose records the caller may change. A record that may not be read may not be changed either. */
export function writeScope(collection: Access, caller: Caller): string | undefined {
  const limited = collection.writeAccessType === 'creatorOnly' || collection.readAccessType === 'creatorOnly';
  return limited && !caller.admin ? caller.id : undefined;
}

export const isInScope = (scope: string | undefined, creatorId: string): boolean =>
  scope === undefined || scope === creatorId;
