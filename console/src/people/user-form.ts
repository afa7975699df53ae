// What a form of a user holds, and the bodies of the interface that are made of it.

import type { ApplicationDefinition, ManagementUser, NewUser, UserUpdate } from '../../../client/src/shapes.ts';
import type { Rights } from './rights.ts';

export type Modes = Pick<ApplicationDefinition, 'sharedUsersModeEnabled' | 'teamsModeEnabled'>;

export interface UserValues extends Rights {
  readonly name: string;
  readonly email: string;
  readonly profile: string;
  /** Empty where the application has no teams, and for a user from before team mode. */
  readonly team: string;
  readonly teamLeader: boolean;
}

export const valuesOf = (user: ManagementUser): UserValues => ({
  name: user.name,
  email: user.email,
  profile: user.profile.name,
  team: user.team?.name ?? '',
  teamLeader: user.teamLeader ?? false,
  apiAccess: user.apiAccess,
  admin: user.admin,
  managementApiAccess: user.managementApiAccess,
  organizationManagementApiAccess: user.organizationManagementApiAccess,
});

/** Most people use the data and manage nobody. */
export const NOBODY_YET: UserValues = {
  name: '',
  email: '',
  profile: '',
  team: '',
  teamLeader: false,
  apiAccess: true,
  admin: false,
  managementApiAccess: false,
  organizationManagementApiAccess: false,
};

function sharedMembers(values: UserValues, { teamsModeEnabled }: Modes) {
  const { apiAccess, admin, managementApiAccess, profile, team, teamLeader } = values;
  return {
    ...{ apiAccess, admin, managementApiAccess },
    profile: { name: profile },
    ...(teamsModeEnabled ? { team: { name: team }, teamLeader } : {}),
  };
}

/** Organization access is left out where it stays: only those who have it may even confirm it. */
export function updateOf(user: ManagementUser, values: UserValues, modes: Modes): UserUpdate {
  const { organizationManagementApiAccess, email } = values;
  const changed = organizationManagementApiAccess !== user.organizationManagementApiAccess;
  return {
    ...sharedMembers(values, modes),
    ...(changed ? { organizationManagementApiAccess } : {}),
    ...(modes.sharedUsersModeEnabled ? {} : { email: email.trim() }),
    disabled: user.disabled,
  };
}

export function newUserOf(values: UserValues, modes: Modes, password: string): NewUser {
  const { name, email, organizationManagementApiAccess } = values;
  return {
    name: name.trim(),
    ...sharedMembers(values, modes),
    ...(organizationManagementApiAccess ? { organizationManagementApiAccess } : {}),
    ...(modes.sharedUsersModeEnabled ? {} : { email: email.trim(), password }),
  };
}

/** Whether two readings of a user are the same to a form. */
export const isSameUser = (one: ManagementUser, other: ManagementUser): boolean =>
  one.disabled === other.disabled && JSON.stringify(valuesOf(one)) === JSON.stringify(valuesOf(other));
