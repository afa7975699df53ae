// Lists whose rows stay where they are after one's own changes: a row that jumped away while it is worked on would be lost
// from sight. They do until the person reads the list again, sorts or searches.

import { type QueryClient, queryOptions, skipToken, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { RawRecord } from './client.ts';
import type { ListQuery } from './list-query.ts';

/** The lists of a collection that are held, as text. */
const heldQuery = (application: string, collection: string) =>
  queryOptions<readonly string[]>({
    queryKey: [application, 'held', collection],
    queryFn: skipToken,
    initialData: [],
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
  });

/** Those that somebody has left by sorting or searching are read anew when they are shown again. */
export function useOnlyHeld(application: string, collection: string, query: ListQuery): void {
  const queries = useQueryClient();
  const list = JSON.stringify(query);
  useEffect(() => {
    const { queryKey } = heldQuery(application, collection);
    const held = queries.getQueryData(queryKey) ?? [];
    for (const each of held.filter((other) => other !== list)) {
      const left = [application, 'records', collection, JSON.parse(each)];
      void queries.invalidateQueries({ queryKey: left, refetchType: 'none' });
    }
    queries.setQueryData(
      queryKey,
      held.filter((other) => other === list),
    );
  }, [queries, application, collection, list]);
}

export const useHeldOrder = (application: string, collection: string, query: ListQuery): boolean =>
  useQuery(heldQuery(application, collection)).data?.includes(JSON.stringify(query)) === true;

/** Whether the record may stand elsewhere, or no more, when the list is read again. */
export function isMoved({ search, sort }: ListQuery, before: RawRecord, after: RawRecord): boolean {
  if (search !== '') return true;
  switch (sort) {
    case 'createdAt':
    case 'createdBy':
      return false;
    case 'updatedAt':
    case 'updatedBy':
      return before.hash !== after.hash;
    default:
      return JSON.stringify(before.values[sort]) !== JSON.stringify(after.values[sort]);
  }
}

export function holdOrder(queries: QueryClient, application: string, collection: string, query: ListQuery): void {
  const list = JSON.stringify(query);
  queries.setQueryData(heldQuery(application, collection).queryKey, (held: readonly string[] = []) =>
    held.includes(list) ? held : [...held, list],
  );
}

export function releaseOrder(queries: QueryClient, application: string, collection: string): void {
  queries.setQueryData(heldQuery(application, collection).queryKey, []);
}
