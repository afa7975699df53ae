// The activity log: pages of entries, newest first, and how often what was done on which day.

import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { nextPosition } from '../../../client/src/walking.ts';
import { type ActivityFilter, clientOf, type RawActivityEntry } from './client.ts';

export interface ActivityPage {
  readonly entries: readonly RawActivityEntry[];
  /** Where older entries go on; undefined at the end. */
  readonly after: string | undefined;
  /** Everything since then has been looked at. */
  readonly reached: string | undefined;
}

export interface ActivityInput extends ActivityFilter {
  readonly startDate?: string;
  readonly endDate?: string;
}

const FRESH_MS = 10_000;

export const activityQuery = (application: string, input: ActivityInput) =>
  infiniteQueryOptions({
    queryKey: [application, 'activity', input],
    queryFn: async ({ pageParam: after, signal }): Promise<ActivityPage> => {
      const { body, headers } = await clientOf(application).raw.listActivity({ ...input, after }, { signal });
      return {
        entries: body,
        after: nextPosition(headers),
        reached: headers.get('cartulary-reached') ?? undefined,
      };
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ after }) => after,
    staleTime: FRESH_MS,
    // Reading all pages again that somebody has walked through would be many requests.
    refetchOnWindowFocus: false,
  });

export const activityFiguresQuery = (
  application: string,
  input: ActivityFilter & { readonly startDate: string; readonly endDate: string; readonly timezone: string },
) =>
  queryOptions({
    queryKey: [application, 'activityFigures', input],
    queryFn: async ({ signal }) => (await clientOf(application).raw.getActivityFigures(input, { signal })).body,
    staleTime: FRESH_MS,
    refetchOnWindowFocus: false,
  });
