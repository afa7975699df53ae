// Who is signed in, and how people may sign in.

import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { CartularyError, clientOf, type Session } from './client.ts';
import { forgetChanges } from './sent-requests.ts';

/** Null when nobody is signed in. */
export const sessionQuery = (application: string) =>
  queryOptions({
    queryKey: [application, 'session'],
    queryFn: async ({ signal }): Promise<Session | null> => {
      try {
        return (await clientOf(application).raw.getSession({}, { signal })).body;
      } catch (error) {
        if (error instanceof CartularyError && error.status === 401) return null;
        throw error;
      }
    },
    staleTime: 60_000,
  });

export const methodsQuery = (application: string) =>
  queryOptions({
    queryKey: [application, 'methods'],
    queryFn: async ({ signal }) => (await clientOf(application).raw.getSignInMethods({}, { signal })).body,
    staleTime: 60_000,
  });

/** User IDs contain no @. */
export const named = (user: string) => (user.includes('@') ? { email: user } : { userId: user });

/** A session that has already ended is as good as signed out. */
export async function signOut(application: string): Promise<void> {
  try {
    await clientOf(application).raw.endSession({});
  } catch (error) {
    if (!(error instanceof CartularyError && error.status === 401)) throw error;
  }
}

/** Another person, or nobody: what the one before saw in this browser is forgotten. */
export function setSession(queries: QueryClient, application: string, session: Session | null): void {
  const { queryKey } = sessionQuery(application);
  forgetChanges();
  queries.setQueryData(queryKey, session);
  queries.removeQueries({ predicate: (query) => query.queryKey[1] !== 'session' && query.queryKey[1] !== 'methods' });
}
