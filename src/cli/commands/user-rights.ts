// The rights of users as options of commands and as sentences, and the names that an application knows.

import { listed } from '../../domain/definition/problems.ts';
import type { Definition } from '../../wire/publish-document.ts';
import type { ManagementUser } from '../../wire/users.ts';
import { CommandFailure } from '../failure.ts';
import { Refusal } from '../refusals.ts';

type Rights = Pick<ManagementUser, 'admin' | 'apiAccess' | 'managementApiAccess' | 'organizationManagementApiAccess'>;

/** `an admin with API and management access`. Says so where the rights amount to more than they seem to. */
export function rightsText(user: Rights): string {
  const accesses = [
    ...(user.apiAccess ? ['API'] : []),
    ...(user.managementApiAccess ? ['management'] : []),
    ...(user.organizationManagementApiAccess ? ['organization management'] : []),
  ];
  const access = accesses.length === 0 ? 'without API access' : `with ${listed(accesses)} access`;
  const more = user.managementApiAccess && !user.admin ? ', by which the user can become an admin' : '';
  return `${user.admin ? 'an admin' : 'not an admin,'} ${access}${more}`;
}

/** For a cell of a table. */
export function rightsCell(user: Rights): string {
  const rights = [
    ...(user.admin ? ['admin'] : []),
    ...(user.apiAccess ? ['API'] : []),
    ...(user.managementApiAccess ? ['management'] : []),
    ...(user.organizationManagementApiAccess ? ['organization'] : []),
  ];
  return rights.length === 0 ? 'none' : rights.join(', ');
}

/** A profile or team that does not exist is answered with those that do. */
export async function withKnownNames<T>({ profiles, teams }: Definition, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (error.code === 'UNKNOWN_PROFILE') throw known(error, 'profile', profiles);
    if (error.code === 'UNKNOWN_TEAM') throw known(error, 'team', teams);
    throw error;
  }
}

function known({ message }: Refusal, noun: string, names: readonly string[]): CommandFailure {
  // A user's login does not see them.
  const all =
    names.length === 0 ? '' : names.length === 1 ? `only ${noun} is ${names[0]}` : `${noun}s are ${listed(names)}`;
  return new CommandFailure(all === '' ? message : `${message} Its ${all}.`, { exit: 'refused' });
}
