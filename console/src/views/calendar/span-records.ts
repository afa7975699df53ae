// The records of the days that are in sight. First their numbers are asked for; then the records themselves, all at once
// where they are few, and the first of each day where they are many.

import { useQueries, useQuery } from '@tanstack/react-query';
import { type CollectionDefinition, clientOf, type RawRecord } from '../../api/client.ts';
import { figuresQuery } from '../../api/figures.ts';
import { type ListQuery, listKey, listParameters, PAGE_SIZE } from '../../api/records.ts';
import { useZone } from '../../messages/time-zone.tsx';
import { addDays, type Day } from '../days.ts';
import { movedCount, type PendingChanges } from '../pending-changes.ts';
import { both, fromUntil } from '../search-terms.ts';
import { type CalendarColumn, dayOf, timeOf } from './calendar-column.ts';
import type { Span } from './span.ts';

export interface DayRecords {
  readonly records: readonly RawRecord[];
  /** Of the day, also of those that were not asked for. */
  readonly count: number;
}

export interface SpanRecords {
  readonly on: (day: Day) => DayRecords;
  readonly error: unknown;
  readonly isPending: boolean;
}

interface Asked {
  readonly application: string;
  readonly collection: CollectionDefinition;
  readonly column: CalendarColumn;
  readonly search: string;
  readonly span: Span;
  /** How many of each day are shown at most. */
  readonly perDay: number;
  readonly pending: PendingChanges;
}

export function useSpanRecords(asked: Asked): SpanRecords {
  const { application, collection, column, search, span, perDay, pending } = asked;
  const zone = useZone();
  const within = both(search, fromUntil(column.id, span.from, span.until));
  const figures = useQuery(figuresQuery(application, collection.id, { search: within, groupBy: `${column.id}:day` }));
  const counts = new Map(figures.data?.groups.map(({ group, count }) => [String(group), count]));
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const searches =
    total <= PAGE_SIZE
      ? [{ search: within, limit: PAGE_SIZE }]
      : [...counts.keys()].map((day) => ({
          search: both(search, fromUntil(column.id, day, addDays(day, 1))),
          limit: perDay,
        }));
  const lists = useQueries({
    queries: searches.map(({ search: condition, limit }) => {
      const query = listed(column, condition);
      return {
        queryKey: [...listKey(application, collection.id, query), 'first', limit],
        queryFn: async ({ signal }: { readonly signal: AbortSignal }) => {
          const parameters = { ...listParameters(collection.id, query), limit };
          return (await clientOf(application).raw.listRecords(parameters, { signal })).body;
        },
        staleTime: 15_000,
        enabled: total > 0,
      };
    }),
  });
  const byDay = placed(
    lists.flatMap(({ data }) => data ?? []),
    pending,
    column,
    zone,
  );
  return {
    on: (day) => {
      const records = byDay.get(day) ?? [];
      const count = (counts.get(day) ?? 0) + movedCount(pending, (record) => dayOf(record, column, zone) === day);
      return { records, count: Math.max(count, 0) };
    },
    error: figures.error ?? lists.find(({ error }) => error !== null)?.error ?? undefined,
    isPending: figures.isPending,
  };
}

/** By time where the column can be sorted by. */
export const listed = ({ id, sortable }: CalendarColumn, search: string): ListQuery => ({
  search,
  sort: sortable ? id : 'updatedAt',
  descending: !sortable,
});

/** The records of each day in the order of their times, with the moves that are not yet stored. */
export function placed(
  records: readonly RawRecord[],
  pending: PendingChanges,
  column: CalendarColumn,
  zone: string,
): ReadonlyMap<Day, readonly RawRecord[]> {
  const all = new Map(records.map((record) => [record.id, record]));
  for (const [id, { after }] of pending) all.set(id, after);
  const byDay = new Map<Day, RawRecord[]>();
  for (const record of all.values()) {
    const day = dayOf(record, column, zone);
    if (day !== undefined) byDay.set(day, [...(byDay.get(day) ?? []), record]);
  }
  const time = (record: RawRecord) => timeOf(record, column) ?? '';
  for (const each of byDay.values()) each.sort((a, b) => (time(a) < time(b) ? -1 : time(a) > time(b) ? 1 : 0));
  return byDay;
}
