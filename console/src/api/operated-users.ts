// The users of an application, as its operator manages them.

import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { ManagementUser } from './client.ts';
import type { PublishedDocument } from './operated-shapes.ts';
import { askOperator } from './operator.ts';

const PAGE = 100;

export interface NamedOperator {
  readonly application: { readonly id: string; readonly name: string };
  readonly user: { readonly id: string; readonly name: string; readonly email: string; readonly disabled: boolean };
}

/** The users who are named as operators; nobody names more than a page of them. */
export const operatorsQuery = queryOptions({
  queryKey: ['operator', 'operators'],
  queryFn: async ({ signal }) =>
    (await askOperator(`/operators?limit=${PAGE}`, { signal })) as readonly NamedOperator[],
});

/** With the key alone. */
export const setOperator = async (application: string, userId: string, isNamed: boolean): Promise<void> => {
  const path = `${usersPath(application)}/${encodeURIComponent(userId)}/operator`;
  await askOperator(path, { method: isNamed ? 'PUT' : 'DELETE' });
};

const usersPath = (application: string): string => `/applications/${encodeURIComponent(application)}/users`;

export const operatedUsersQuery = (application: string, search: string) =>
  infiniteQueryOptions({
    queryKey: ['operator', 'users', application, search],
    initialPageParam: 0,
    queryFn: async ({ pageParam, signal }) => {
      const query = new URLSearchParams({ skip: String(pageParam), limit: String(PAGE), search });
      return (await askOperator(`${usersPath(application)}?${query}`, { signal })) as readonly ManagementUser[];
    },
    getNextPageParam: (page, pages) => (page.length < PAGE ? undefined : pages.length * PAGE),
  });

export interface NewOperatedUser {
  readonly name: string;
  readonly email: string;
  readonly password: string;
  readonly isAdmin: boolean;
  readonly team: string | undefined;
}

export interface CreatedUser {
  readonly id: string;
  readonly name: string;
  /** Absent for shared users, who have one already. */
  readonly password: string | undefined;
}

/** With the first profile; what the modes of the application do not allow is left out. */
export async function createOperatedUser(
  { id, profiles, sharedUsersModeEnabled, teamsModeEnabled }: PublishedDocument,
  { name, email, password, isAdmin, team }: NewOperatedUser,
): Promise<CreatedUser> {
  const body = {
    name,
    ...(sharedUsersModeEnabled ? {} : { email, password }),
    admin: isAdmin,
    apiAccess: true,
    managementApiAccess: isAdmin,
    profile: { name: profiles[0] },
    ...(teamsModeEnabled ? { team: { name: team }, teamLeader: false } : {}),
  };
  const created = (await askOperator(usersPath(id), { method: 'POST', body })) as ManagementUser;
  return { id: created.id, name: created.name, password: sharedUsersModeEnabled ? undefined : password };
}

/** An update is sent whole: with what is stored now. */
export async function setOperatedUserDisabled(
  { id: application, sharedUsersModeEnabled }: PublishedDocument,
  userId: string,
  disabled: boolean,
): Promise<void> {
  const path = `${usersPath(application)}/${encodeURIComponent(userId)}`;
  const { id: _id, name: _name, email, ...stored } = (await askOperator(path)) as ManagementUser;
  const body = { ...stored, ...(sharedUsersModeEnabled ? {} : { email }), disabled };
  await askOperator(path, { method: 'PUT', body });
}

export const setOperatedUserPassword = async (application: string, userId: string, password: string): Promise<void> => {
  const path = `${usersPath(application)}/${encodeURIComponent(userId)}/password`;
  await askOperator(path, { method: 'PUT', body: { password } });
};
