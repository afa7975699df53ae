// The cards of a lane, page by page as it is scrolled, with the moves that are not yet stored.

import { useInfiniteQuery } from '@tanstack/react-query';
import { readPage } from '../../../../client/src/walking.ts';
import { clientOf, type RawRecord } from '../../api/client.ts';
import { type ListQuery, listKey, listParameters } from '../../api/records.ts';

/** A few times what is in sight. */
const PAGE = 30;
/** Then the grid shows more at a glance. */
export const CARDS_MAX = 1_200;

export interface LaneCards {
  readonly records: readonly RawRecord[];
  readonly isPending: boolean;
  readonly error: unknown;
  readonly isLoadingMore: boolean;
  readonly loadMore: () => void;
  /** More cards than a lane shows. */
  readonly isCut: boolean;
}

interface Place {
  readonly application: string;
  readonly collection: string;
  readonly query: ListQuery;
  readonly enabled: boolean;
}

export function useLaneCards({ application, collection, query, enabled }: Place): LaneCards {
  const pages = useInfiniteQuery({
    queryKey: [...listKey(application, collection, query), 'lane'],
    queryFn: ({ pageParam, signal }) => {
      const after = pageParam === undefined ? {} : { after: pageParam };
      return readPage(
        clientOf(application).raw,
        { ...listParameters(collection, query), ...after, limit: PAGE },
        { signal },
      );
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ after }, all) => (all.length * PAGE < CARDS_MAX ? after : undefined),
    staleTime: 15_000,
    gcTime: 30_000,
    enabled,
  });
  const all = pages.data?.pages ?? [];
  return {
    records: all.flatMap(({ records }) => records),
    isPending: pages.isPending,
    error: pages.error ?? undefined,
    isLoadingMore: pages.isFetchingNextPage,
    loadMore: () => void (pages.hasNextPage && !pages.isFetching && pages.fetchNextPage()),
    isCut: !pages.hasNextPage && all.at(-1)?.after !== undefined,
  };
}
