// The places of records, page by page, as far as a map is of use. Of each record only what the map needs is kept.

import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { readPage } from '../../../../client/src/walking.ts';
import { type CollectionDefinition, type ColumnDefinition, clientOf, type RawRecord } from '../../api/client.ts';
import { type ListQuery, listKey, listParameters, PAGE_SIZE } from '../../api/records.ts';
import { titleOf } from '../../record/title.ts';
import { both, hasValue } from '../search-terms.ts';
import type { Point } from './clusters.ts';
import { placeOf } from './mercator.ts';

/** Records that are read at most. */
export const POINTS_MAX = 10_000;

export interface Points {
  readonly points: readonly Point[];
  readonly isReading: boolean;
  /** There are more than were read. */
  readonly isCut: boolean;
  readonly error: unknown;
}

export function usePoints(
  application: string,
  collection: CollectionDefinition,
  column: ColumnDefinition | undefined,
  query: ListQuery,
  untitled: string,
): Points {
  // A column that cannot be searched by is looked for in all records.
  const search = column?.searchable === true ? both(query.search, hasValue(column.id)) : query.search;
  const asked = { ...query, search };
  const pages = useInfiniteQuery({
    queryKey: [...listKey(application, collection.id, asked), 'points', column?.id],
    queryFn: async ({ pageParam, signal }) => {
      const after = pageParam === undefined ? {} : { after: pageParam };
      const parameters = { ...listParameters(collection.id, asked), ...after, limit: PAGE_SIZE };
      const page = await readPage(clientOf(application).raw, parameters, { signal });
      return { after: page.after, points: page.records.flatMap(pointOf) };
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ after }, all) => (all.length * PAGE_SIZE < POINTS_MAX ? after : undefined),
    staleTime: 300_000,
    gcTime: 30_000,
    refetchOnWindowFocus: false,
    enabled: column !== undefined,
  });
  const { hasNextPage, isFetching, isError, fetchNextPage } = pages;
  useEffect(() => {
    if (hasNextPage && !isFetching && !isError) void fetchNextPage();
  }, [hasNextPage, isFetching, isError, fetchNextPage]);

  const all = pages.data?.pages ?? [];
  return {
    points: all.flatMap(({ points }) => points),
    isReading: pages.isFetching,
    isCut: !hasNextPage && all.at(-1)?.after !== undefined,
    error: pages.error ?? undefined,
  };

  function pointOf(record: RawRecord): readonly Point[] {
    const value = record.values[column?.id ?? ''];
    if (value?.type !== 'Location') return [];
    const title = titleOf(collection, record) ?? untitled;
    return [{ id: record.id, title, ...placeOf(value.latitude, value.longitude) }];
  }
}
