// Rows that are not in sight: they are loaded when a range that has them is copied or changed.

import type { QueryClient } from '@tanstack/react-query';
import type { Page } from '../../../../client/src/walking.ts';
import type { RawRecord } from '../../api/client.ts';
import { fetchPage, type ListQuery, listKey, listParameters, PAGE_SIZE } from '../../api/records.ts';

interface List {
  readonly application: string;
  readonly collection: string;
  readonly query: ListQuery;
}

/** Pages come one after the other: each begins where the one before ends. */
export async function loadRows(
  queries: QueryClient,
  { application, collection, query }: List,
  { first, last }: { readonly first: number; readonly last: number },
): Promise<(row: number) => RawRecord | undefined> {
  const key = listKey(application, collection, query);
  const pages = new Map<number, Page>();
  for (let index = Math.floor(first / PAGE_SIZE); index <= Math.floor(last / PAGE_SIZE); index += 1) {
    const after = pages.get(index - 1)?.after ?? queries.getQueryData<Page>([...key, index - 1])?.after;
    const page = await queries.fetchQuery({
      queryKey: [...key, index],
      queryFn: ({ signal }) =>
        fetchPage(
          application,
          listParameters(collection, query),
          { index, after: index === 0 ? undefined : after },
          signal,
        ),
      staleTime: Number.POSITIVE_INFINITY,
    });
    pages.set(index, page);
  }
  return (row) => pages.get(Math.floor(row / PAGE_SIZE))?.records[row % PAGE_SIZE];
}
