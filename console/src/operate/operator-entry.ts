// Finds the way into the operator's interface that this browser has: the key that was entered, or a session of a user whom
// the operator has named.

import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { type OperatorAccess, setOperatorAccess, useOperatorAccess } from '../api/operator.ts';
import { sessionQuery } from '../api/session.ts';
import { knownApplications } from '../frame/known-applications.ts';

/** Undefined while it is looked for, null if there is none. */
export function useOperatorEntry(): OperatorAccess | null | undefined {
  const queries = useQueryClient();
  const access = useOperatorAccess();
  const { data: application, isFetching } = useQuery({
    queryKey: ['operator', 'session'],
    queryFn: () => applicationOfOperator(queries),
    enabled: access === undefined,
    gcTime: 0,
    retry: false,
  });
  const found = isFetching ? undefined : application;
  useEffect(() => {
    if (access === undefined && typeof found === 'string') setOperatorAccess({ application: found });
  }, [access, found]);
  return access ?? (found === null ? null : undefined);
}

/** Among the applications that were used in this browser. */
async function applicationOfOperator(queries: QueryClient): Promise<string | null> {
  for (const { id } of knownApplications()) {
    const session = await queries.fetchQuery({ ...sessionQuery(id), staleTime: 0 }).catch(() => null);
    if (session?.operator === true) return id;
  }
  return null;
}
