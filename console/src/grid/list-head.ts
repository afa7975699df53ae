// The first page of a list, and what it tells about the whole: whether the search can be read, and how many there are.

import { useQuery } from '@tanstack/react-query';
import { countQuery, type ListQuery, PAGE_SIZE } from '../api/records.ts';
import { usePages } from './pages.ts';

const FIRST_PAGE = { first: 0, last: 0 };

export interface ListHead {
  /** All, or at least so many. */
  readonly count: number;
  readonly complete: boolean;
  readonly error: unknown;
  readonly isPending: boolean;
}

export function useListHead(application: string, collection: string, query: ListQuery): ListHead {
  const { count, complete, error, isPending } = usePages(application, collection, query, FIRST_PAGE);
  const counted = useQuery({ ...countQuery(application, collection, query), enabled: !isPending && !complete });
  if (!complete && counted.data !== undefined) return { count: counted.data, complete: true, error, isPending };
  return { count: complete ? count : count - PAGE_SIZE, complete, error, isPending };
}
