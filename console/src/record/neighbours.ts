// The records before and after a record in the list that it was opened from. The order of lists is total and turns
// around exactly, so each neighbour is a list of one.

import { queryOptions, useQuery } from '@tanstack/react-query';
import { clientOf } from '../api/client.ts';
import { type ListQuery, listParameters } from '../api/records.ts';

export interface Neighbours {
  readonly previous: string | undefined;
  readonly next: string | undefined;
}

/** A list by the time of the update turns over when a record is stored; the neighbours stay those that were on the page. */
const KEPT_MS = 300_000;

const neighboursQuery = (application: string, collection: string, record: string, query: ListQuery) =>
  queryOptions({
    queryKey: [application, 'neighbours', collection, record, query],
    queryFn: async ({ signal }): Promise<Neighbours> => {
      const after = async (descending: boolean): Promise<string | undefined> => {
        const parameters = listParameters(collection, { ...query, descending });
        const { body } = await clientOf(application).raw.listRecords(
          { ...parameters, after: record, limit: 1 },
          { signal },
        );
        return body[0]?.id;
      };
      const [previous, next] = await Promise.all([after(!query.descending), after(query.descending)]);
      return { previous, next };
    },
    staleTime: KEPT_MS,
    gcTime: KEPT_MS,
  });

export function useNeighbours(application: string, collection: string, record: string, query: ListQuery): Neighbours {
  const { data } = useQuery(neighboursQuery(application, collection, record, query));
  return { previous: data?.previous, next: data?.next };
}
