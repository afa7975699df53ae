// What the records are called that the log names by their IDs: asked for together, a few requests for a page of entries.

import { queryOptions, useQueries, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { type CollectionDefinition, clientOf, type RawActivityEntry, type RawRecord } from '../api/client.ts';
import { recordQuery } from '../api/records.ts';
import { titleOf } from '../record/title.ts';
import { askedRecords } from './asked-records.ts';

export type TitleOf = (entry: RawActivityEntry) => string | undefined;

const titlesQuery = (application: string, collectionId: string, ids: readonly string[]) =>
  queryOptions({
    queryKey: [application, 'records', collectionId, 'titles', ids],
    queryFn: async ({ signal }) => {
      const search = ids.map((id) => `$id=${id}`).join(' OR ');
      return (await clientOf(application).raw.listRecords({ collectionId, search, limit: ids.length }, { signal }))
        .body;
    },
    staleTime: 60_000,
    refetchOnWindowFocus: false,
    // Without its title a sentence is as good as it was before.
    retry: false,
  });

/** The titles of records that are there. Of a deleted one only a page that this visit has shown knows it. */
export function useRecordTitles(
  application: string,
  collections: readonly CollectionDefinition[],
  entries: readonly RawActivityEntry[],
): TitleOf {
  const queries = useQueryClient();
  const asked = useMemo(() => askedRecords(entries, new Set(collections.map(({ id }) => id))), [entries, collections]);
  const records = useQueries({
    queries: asked.map(({ collectionId, ids }) => titlesQuery(application, collectionId, ids)),
    combine: (found) => new Map(found.flatMap(({ data = [] }) => data.map((record) => [record.id, record] as const))),
  });
  return ({ collection, extra: { recordId } }) => {
    const definition = collections.find(({ id }) => id === collection?.id);
    if (definition === undefined || recordId === undefined) return undefined;
    const seen = () => queries.getQueryData<RawRecord>(recordQuery(application, definition.id, recordId).queryKey);
    const record = records.get(recordId) ?? seen();
    return record && titleOf(definition, record);
  };
}
