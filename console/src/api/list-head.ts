// The first page of a list, and what it tells about the whole: whether the search can be read, and how many there are.

import { notifyManager, useQuery, useQueryClient } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { CartularyError } from './client.ts';
import { knownLength, usePages } from './pages.ts';
import { countQuery, type ListQuery, PAGE_SIZE } from './records.ts';

const FIRST_PAGE = { first: 0, last: 0 };
const NO_PAGE = { first: 0, last: -1 };

export interface ListHead {
  /** All, or at least so many. */
  readonly count: number;
  readonly complete: boolean;
  readonly error: unknown;
  readonly isPending: boolean;
  /** Counts them all, where that takes long; undefined where it need not be asked for. */
  readonly onCount: (() => void) | undefined;
}

/** `withRows`: for views that show the list itself; the others ask for what they show, and here only for the number. */
export function useListHead(application: string, collection: string, query: ListQuery, withRows: boolean): ListHead {
  const queries = useQueryClient();
  const rows = usePages(application, collection, query, withRows ? FIRST_PAGE : NO_PAGE);
  // The end of the list may be on a page that only the grid looks at.
  useSyncExternalStore(
    (onChange) => queries.getQueryCache().subscribe(notifyManager.batchCalls(onChange)),
    () => knownLength(queries, application, collection, query),
  );
  const complete = withRows && rows.complete;
  const counted = useQuery({
    ...countQuery(application, collection, query),
    enabled: !withRows || (!rows.isPending && !complete),
    // A count that took too long would again.
    refetchOnWindowFocus: ({ state }) => state.status !== 'error',
    refetchOnMount: ({ state }) => state.status !== 'error',
  });
  // A count that took too long is no problem of the list.
  const refused = counted.error instanceof CartularyError ? counted.error : undefined;
  const error = withRows ? rows.error : refused;
  const isPending = withRows ? rows.isPending : counted.data === undefined;
  const head = { error, isPending, onCount: undefined };
  if (complete) return { ...head, count: rows.count, complete };
  // A number from before a count that was given up may be wrong by now.
  if (counted.data !== undefined && !counted.isError) return { ...head, count: counted.data, complete: true };
  const exactly = () => queries.fetchQuery(countQuery(application, collection, query, true));
  return {
    ...head,
    count: rows.count - PAGE_SIZE,
    complete: false,
    // What went wrong is told by the button that is still there.
    onCount:
      counted.isError && refused === undefined && !counted.isFetching
        ? () => void exactly().catch(() => undefined)
        : undefined,
  };
}
