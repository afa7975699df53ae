// The rights of a user, and which of them another requires (docs/users.md).

import type { Session } from '../../../client/src/shapes.ts';

export const RIGHTS = ['apiAccess', 'admin', 'managementApiAccess', 'organizationManagementApiAccess'] as const;
export type Right = (typeof RIGHTS)[number];
export type Rights = Readonly<Record<Right, boolean>>;

/** An admin without API access is allowed and has no effect, so it asks for nothing. */
const REQUIRES: Readonly<Partial<Record<Right, Right>>> = {
  managementApiAccess: 'apiAccess',
  organizationManagementApiAccess: 'managementApiAccess',
};

/** Giving a right gives those that it requires; taking one takes those that require it. */
export function withRight(rights: Rights, right: Right, given: boolean): Rights {
  const next: Record<Right, boolean> = { ...rights, [right]: given };
  const required = REQUIRES[right];
  if (given && required !== undefined) return withRight(next, required, true);
  if (given) return next;
  const dependent = RIGHTS.find((each) => REQUIRES[each] === right && next[each]);
  return dependent === undefined ? next : withRight(next, dependent, false);
}

/** Whether the caller may give or take the right at all. */
export const mayChange = (caller: Session, right: Right): boolean =>
  right !== 'organizationManagementApiAccess' || caller.organizationManagementApiAccess;

/** Only profile and team of a user with organization access may be changed without that access. */
export const isGuarded = (caller: Session, user: Pick<Rights, 'organizationManagementApiAccess'>): boolean =>
  user.organizationManagementApiAccess && !caller.organizationManagementApiAccess;
