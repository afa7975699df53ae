// Those whom a manager sees: users, shared users, and the profiles and teams that they can be given.

import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { clientOf } from './client.ts';

export const userQuery = (application: string, userId: string) =>
  queryOptions({
    queryKey: [application, 'people', 'user', userId],
    queryFn: async ({ signal }) => (await clientOf(application).raw.getManagementUser({ userId }, { signal })).body,
    staleTime: 10_000,
  });

export const sharedUserQuery = (application: string, sharedUserId: string) =>
  queryOptions({
    queryKey: [application, 'people', 'shared', sharedUserId],
    queryFn: async ({ signal }) => (await clientOf(application).raw.getSharedUser({ sharedUserId }, { signal })).body,
    staleTime: 10_000,
  });

export type GroupKind = 'profiles' | 'teams';

export const groupsQuery = (application: string, kind: GroupKind) =>
  queryOptions({
    queryKey: [application, 'people', kind],
    queryFn: async ({ signal }) => {
      const { raw } = clientOf(application);
      return (await (kind === 'teams' ? raw.listTeams({}, { signal }) : raw.listProfiles({}, { signal }))).body;
    },
    staleTime: 30_000,
  });

/** After a change: every list of people, and the names that others see, may look different now. */
export function forgetPeople(queries: QueryClient, application: string): void {
  for (const kind of ['people', 'users']) void queries.invalidateQueries({ queryKey: [application, kind] });
}
