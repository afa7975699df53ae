// The pages of a list that are looked at. Pages that nobody looks at are dropped after a while, so a long list takes no more
// memory than a short one.

import { type QueryClient, type UseQueryResult, useQueries, useQueryClient } from '@tanstack/react-query';
import type { Page } from '../../../client/src/walking.ts';
import { type RowSpan, useAskedRows } from './asked-rows.ts';
import type { RawRecord } from './client.ts';
import { useHeldOrder } from './held-order.ts';
import { fetchPage, type ListQuery, listKey, listParameters, PAGE_SIZE } from './records.ts';

/** Long enough to scroll away and back, short enough to keep a long walk small. */
const KEPT_MS = 30_000;
const FRESH_MS = 15_000;

/** Rows so close to those in sight are asked for when these are there. */
const AHEAD_ROWS = 50;

/** The rows that are looked at, and among them those in sight, which are asked for first. */
export interface SeenRows extends RowSpan {
  readonly sight?: RowSpan;
}

export interface Rows<Seen extends SeenRows = SeenRows> {
  /** Undefined while its page is on its way. */
  readonly at: (row: number) => RawRecord | undefined;
  /** Whether the page with this row has arrived. */
  readonly isRead: (row: number) => boolean;
  /** The rows that were asked for last: those that are looked at, or during a drag those of an earlier step. */
  readonly asked: Seen;
  /** As far as is known; a list whose end has not been seen may be longer. */
  readonly count: number;
  readonly complete: boolean;
  readonly error: unknown;
  readonly isPending: boolean;
}

export function usePages<Seen extends SeenRows>(
  application: string,
  collection: string,
  query: ListQuery,
  seen: Seen,
): Rows<Seen> {
  const queries = useQueryClient();
  const key = listKey(application, collection, query);
  const held = useHeldOrder(application, collection, query);
  const known = (index: number) => queries.getQueryData<Page>([...key, index]);
  const isFetched = (index: number) => {
    const state = queries.getQueryState([...key, index]);
    return state?.fetchStatus === 'fetching' && state.data === undefined;
  };
  const asked = useAskedRows(seen, ({ sight, ...rows }) => pagesOf(sight ?? rows).some(isFetched));
  const [inSight, indexes] = [pagesOf(asked.sight ?? asked), pagesOf(asked, AHEAD_ROWS)];
  const pages = useQueries({
    queries: indexes.map((index) => ({
      queryKey: [...key, index],
      enabled: known(index) !== undefined || isNext(index, inSight, known),
      queryFn: ({ signal }: { readonly signal: AbortSignal }) => {
        const after = index === 0 ? undefined : known(index - 1)?.after;
        return fetchPage(application, listParameters(collection, query), { index, after }, signal);
      },
      staleTime: held ? Number.POSITIVE_INFINITY : FRESH_MS,
      gcTime: KEPT_MS,
      // The rows are taken from the cache, so a page that was read again has to be drawn again.
      notifyOnChangeProps: ['data', 'error', 'isPending'] as const satisfies (keyof UseQueryResult)[],
    })),
  });
  // Looking a page up in the cache takes longer than drawing a cell.
  const page = (row: number) => {
    const index = Math.floor(row / PAGE_SIZE);
    return pages[index - (indexes[0] ?? 0)]?.data ?? known(index);
  };
  const end = endOf(queries.getQueryCache().findAll({ queryKey: key }), key.length);
  return {
    at: (row) => page(row)?.records[row % PAGE_SIZE],
    isRead: (row) => page(row) !== undefined,
    asked,
    ...end,
    error: pages.find(({ error }) => error !== null)?.error ?? undefined,
    isPending: pages.length > 0 && pages.every(({ isPending }) => isPending),
  };
}

/** How long the list is as far as its pages are known: `120`, or `200+`. */
export function knownLength(queries: QueryClient, application: string, collection: string, query: ListQuery): string {
  const key = listKey(application, collection, query);
  const { count, complete } = endOf(queries.getQueryCache().findAll({ queryKey: key }), key.length);
  return complete ? `${count}` : `${count}+`;
}

function pagesOf({ first, last }: RowSpan, ahead = 0): number[] {
  const from = Math.floor(first / PAGE_SIZE);
  // No rows have no pages, and nothing follows them.
  const until = last < first ? from - 1 : Math.floor((last + ahead) / PAGE_SIZE);
  return Array.from({ length: until - from + 1 }, (_, offset) => from + offset);
}

/**
 * Whether it is a page's turn. The first page in sight is, and then each that continues one: to skip to the middle of a long
 * list takes the server much longer than to continue there. Those before what is in sight come last.
 */
function isNext(index: number, inSight: readonly number[], known: (index: number) => Page | undefined): boolean {
  const [first = index] = inSight;
  if (index < first) return inSight.every((each) => known(each) !== undefined);
  return index === first || known(index - 1)?.after !== undefined;
}

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
