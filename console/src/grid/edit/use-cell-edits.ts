// The changes of cells of a collection, for the person who is signed in. They outlive the grid: sorting or searching makes a
// new one while changes are on their way.

import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect, useSyncExternalStore } from 'react';
import type { Page } from '../../../../client/src/walking.ts';
import { clientOf, type RawRecord } from '../../api/client.ts';
import { holdOrder, isMoved } from '../../api/held-order.ts';
import { noteFailure, onBack } from '../../api/reach.ts';
import { type ListQuery, recordQuery } from '../../api/records.ts';
import { noteStored } from '../../api/stored.ts';
import { CellEdits, type Counts, type Server } from './cell-edits.ts';
import { keepingOf } from './kept-edits.ts';

interface Place {
  readonly application: string;
  readonly collection: string;
  readonly userId: string;
}

const opened = new Map<string, CellEdits>();

function cellEditsOf({ application, collection, userId }: Place, queries: QueryClient): CellEdits {
  const place = `${application}.${userId}.${collection}`;
  const known = opened.get(place);
  if (known !== undefined) return known;
  const edits = new CellEdits(serverOf(application, collection, queries), keepingOf(place));
  opened.set(place, edits);
  return edits;
}

export function useCellEdits(place: Place): { readonly edits: CellEdits; readonly counts: Counts } {
  const edits = cellEditsOf(place, useQueryClient());
  const counts = useSyncExternalStore(edits.subscribe, edits.counts);
  useEffect(() => onBack(() => edits.resume()), [edits]);
  return { edits, counts };
}

function serverOf(application: string, collectionId: string, queries: QueryClient): Server {
  const lists = { queryKey: [application, 'records', collectionId] };
  const { raw } = clientOf(application);
  return {
    send: async ({ id: recordId, hash }, values) =>
      (await raw.updateRecord({ collectionId, recordId, ifMatch: `"${hash}"`, body: { values, replace: false } })).body,
    read: async (recordId) => (await raw.getRecord({ collectionId, recordId })).body,
    known: (recordId) => {
      for (const [, page] of queries.getQueriesData<Listed>(lists)) {
        const found = recordsOf(page).find(({ id }) => id === recordId);
        if (found !== undefined) return found;
      }
      return undefined;
    },
    refresh: () => void queries.invalidateQueries(lists),
    failed: noteFailure,
    show: (record) => {
      noteStored(record);
      queries.setQueryData(recordQuery(application, collectionId, record.id).queryKey, record);
      for (const known of queries.getQueryCache().findAll(lists)) {
        const { queryKey } = known;
        const list = known.state.data as Listed | undefined;
        const before = recordsOf(list).find(({ id }) => id === record.id);
        if (before === undefined) continue;
        const [, , , query] = queryKey;
        queries.setQueryData(queryKey, withRecord(list, record));
        if (!isListQuery(query) || !isMoved(query, before, record)) continue;
        if (known.isActive()) holdOrder(queries, application, collectionId, query);
        else known.invalidate();
      }
    },
  };
}

const isListQuery = (part: unknown): part is ListQuery => typeof part === 'object' && part !== null && 'search' in part;

type Listed = Page | readonly RawRecord[];

/** Lists are kept as pages, and those of a search for references as arrays. */
const recordsOf = (list: Listed | undefined): readonly RawRecord[] => {
  if (list === undefined) return [];
  return 'records' in list ? list.records : Array.isArray(list) ? list : [];
};

function withRecord(list: Listed | undefined, record: RawRecord): Listed | undefined {
  if (list === undefined || !recordsOf(list).some(({ id }) => id === record.id)) return list;
  const records = recordsOf(list).map((each) => (each.id === record.id ? record : each));
  return 'records' in list ? { ...list, records } : records;
}
