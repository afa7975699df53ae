// What the palette finds on the server by words: records by collection, people, and views.

import { useQueries } from '@tanstack/react-query';
import { type CollectionDefinition, ConnectionError, type RawRecord, type User, type View } from '../api/client.ts';
import { wordsQuery } from '../api/records.ts';
import { usePeople } from '../api/users.ts';
import { viewsQuery } from '../api/views.ts';
import { useDebounced } from './debounced.ts';

/** Searches at a time: an application may have a hundred collections. */
const COLLECTIONS_MAX = 8;
const RECORDS_EACH = 4;
const PEOPLE_MAX = 5;
/** A single letter is in nearly every record. */
const WORDS_MIN = 2;

export interface Found {
  readonly records: readonly { readonly collection: CollectionDefinition; readonly records: readonly RawRecord[] }[];
  readonly people: readonly User[];
  readonly views: readonly { readonly collection: CollectionDefinition; readonly views: readonly View[] }[];
  readonly busy: boolean;
  /** The server cannot be asked now. */
  readonly away: boolean;
}

export function useFound(application: string, collections: readonly CollectionDefinition[], text: string): Found {
  const typed = text.trim();
  const words = useDebounced(typed);
  const isAsked = isWords(words) && isWords(typed);
  const searched = collections.filter(({ columns }) => columns.some((column) => column.searchable));
  const asked = searched.slice(0, COLLECTIONS_MAX);
  const records = useQueries({
    queries: asked.map(({ id }) => ({ ...wordsQuery(application, id, words, RECORDS_EACH), enabled: isAsked })),
  });
  const people = usePeople(application, words, isAsked);
  const views = useQueries({
    queries: collections.slice(0, COLLECTIONS_MAX).map(({ id }) => viewsQuery(application, id)),
  });
  return {
    records: asked.flatMap((collection, index) => {
      const found = isAsked ? (records[index]?.data ?? []) : [];
      return found.length === 0 ? [] : [{ collection, records: found }];
    }),
    people: isAsked ? people.slice(0, PEOPLE_MAX) : [],
    views: collections.flatMap((collection, index) => {
      const kept = views[index]?.data ?? [];
      return kept.length === 0 ? [] : [{ collection, views: kept }];
    }),
    busy: isWords(typed) && (typed !== words || records.some(({ isFetching }) => isFetching)),
    away: records.some(({ error, fetchStatus }) => error instanceof ConnectionError || fetchStatus === 'paused'),
  };
}

/** One Japanese or Chinese character is a word. */
const isWords = (text: string): boolean => text.length >= WORDS_MIN || /\p{Script=Han}/u.test(text);
