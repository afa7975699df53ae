// The pages of a list that are looked at. Pages that nobody looks at are dropped after a while, so a long list takes no more
// memory than a short one.

import { useQueries, useQueryClient } from '@tanstack/react-query';
import type { Page } from '../../../client/src/walking.ts';
import type { RawRecord } from '../api/client.ts';
import { fetchPage, type ListQuery, listKey, listParameters, PAGE_SIZE } from '../api/records.ts';

/** Long enough to scroll away and back, short enough to keep a long walk small. */
const KEPT_MS = 30_000;
const FRESH_MS = 15_000;

export interface Rows {
  /** Undefined while its page is on its way. */
  readonly at: (row: number) => RawRecord | undefined;
  /** As far as is known; a list whose end has not been seen may be longer. */
  readonly count: number;
  readonly complete: boolean;
  readonly error: unknown;
  readonly isPending: boolean;
}

export function usePages(
  application: string,
  collection: string,
  query: ListQuery,
  { first, last }: { readonly first: number; readonly last: number },
): Rows {
  const queries = useQueryClient();
  const key = listKey(application, collection, query);
  const indexes = spanOf(Math.floor(first / PAGE_SIZE), Math.floor(last / PAGE_SIZE));
  const known = (index: number) => queries.getQueryData<Page>([...key, index]);
  const pages = useQueries({
    queries: indexes.map((index) => ({
      queryKey: [...key, index],
      queryFn: ({ signal }: { readonly signal: AbortSignal }) => {
        const after = index === 0 ? undefined : known(index - 1)?.after;
        return fetchPage(application, listParameters(collection, query), { index, after }, signal);
      },
      staleTime: FRESH_MS,
      gcTime: KEPT_MS,
    })),
  });
  const end = endOf(queries.getQueryCache().findAll({ queryKey: key }), key.length);
  return {
    at: (row) => known(Math.floor(row / PAGE_SIZE))?.records[row % PAGE_SIZE],
    ...end,
    error: pages.find(({ error }) => error !== null)?.error ?? undefined,
    isPending: pages.length > 0 && pages.every(({ isPending }) => isPending),
  };
}

const spanOf = (first: number, last: number): number[] =>
  Array.from({ length: last - first + 1 }, (_, offset) => first + offset);

interface KnownPage {
  readonly queryKey: readonly unknown[];
  readonly state: { readonly data?: unknown };
}

/** Where the list ends, or one page beyond the furthest that is known. */
function endOf(pages: readonly KnownPage[], at: number): { readonly count: number; readonly complete: boolean } {
  let furthest = 0;
  let end: number | undefined;
  for (const { queryKey, state } of pages) {
    const page = state.data as Page | undefined;
    const index = queryKey[at];
    if (page === undefined || typeof index !== 'number') continue;
    const reached = index * PAGE_SIZE + page.records.length;
    furthest = Math.max(furthest, reached);
    if (page.after === undefined && (page.records.length > 0 || index === 0)) end = reached;
  }
  return end === undefined ? { count: furthest + PAGE_SIZE, complete: false } : { count: end, complete: true };
}
