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

/** One person, whom a form may be open of. */
const ONE = new Set<unknown>(['user', 'shared']);

/**
 * After a change: every list of people, and the names that others see, may look different now. A person in an open form
 * is not read again: a change of others would come in under the form's changes instead of being found when it is saved.
 */
export function forgetPeople(queries: QueryClient, application: string): void {
  void queries.invalidateQueries({ queryKey: [application, 'users'] });
  const people = [application, 'people'];
  void queries.invalidateQueries({ queryKey: people, predicate: ({ queryKey }) => !ONE.has(queryKey[2]) });
  void queries.invalidateQueries({
    queryKey: people,
    predicate: ({ queryKey }) => ONE.has(queryKey[2]),
    refetchType: 'none',
  });
}
