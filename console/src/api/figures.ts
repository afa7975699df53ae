// Figures over the records of a collection: how many there are by day, person or text, and sums of their numbers.

import { queryOptions } from '@tanstack/react-query';
import { clientOf } from './client.ts';
import type { Figures } from './group-figures.ts';

interface AskedFigures {
  readonly search: string;
  readonly groupBy: string;
  /** As the interface names it; the number of records without it. */
  readonly measure?: string;
}

export const figuresQuery = (application: string, collectionId: string, asked: AskedFigures) =>
  queryOptions({
    queryKey: [application, 'figures', collectionId, asked],
    queryFn: async ({ signal }): Promise<Figures> => {
      const { search, groupBy, measure = 'count' } = asked;
      const measures = measure === 'count' ? measure : `count,${measure}`;
      const searched = search === '' ? {} : { search };
      const { body, headers } = await clientOf(application).raw.getFigures(
        { collectionId, ...searched, groupBy, measure: measures },
        { signal },
      );
      const groups = body.map((figure) => ({
        group: figure.group ?? null,
        count: figure.count ?? 0,
        measured: numberOf((figure as Readonly<Record<string, unknown>>)[measure]),
      }));
      return { groupBy, groups, more: headers.get('cartulary-more') === 'true' };
    },
    staleTime: 15_000,
  });

const numberOf = (value: unknown): number | null => (typeof value === 'number' ? value : null);
