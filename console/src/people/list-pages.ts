// The pages of a list of people that are looked at. Ten thousand users are a hundred pages; only those in sight are asked for.

import { useQueries, useQueryClient } from '@tanstack/react-query';
import { endOf, PAGE_SIZE } from './list-end.ts';

/** For what is said of the whole list. */
export const FIRST_PAGE = { first: 0, last: 0 };
const FRESH_MS = 15_000;

interface Page {
  readonly skip: number;
  readonly limit: number;
}

export interface PeopleSource<Person> {
  readonly key: readonly unknown[];
  readonly fetch: (page: Page, signal: AbortSignal) => Promise<readonly Person[]>;
  /** Where it is known without reading the list. */
  readonly total: number | undefined;
}

export interface PeoplePages<Person> {
  /** Undefined while its page is on its way. */
  readonly at: (row: number) => Person | undefined;
  readonly count: number;
  /** Whether the count is exact. */
  readonly complete: boolean;
  readonly error: unknown;
  readonly isPending: boolean;
}

export function usePeoplePages<Person>(
  { key, fetch, total }: PeopleSource<Person>,
  { first, last }: { readonly first: number; readonly last: number },
): PeoplePages<Person> {
  const queries = useQueryClient();
  const [from, to] = [Math.floor(first / PAGE_SIZE), Math.floor(last / PAGE_SIZE)];
  const pages = useQueries({
    queries: Array.from({ length: to - from + 1 }, (_, offset) => ({
      queryKey: [...key, from + offset],
      queryFn: ({ signal }: { readonly signal: AbortSignal }) =>
        fetch({ skip: (from + offset) * PAGE_SIZE, limit: PAGE_SIZE }, signal),
      staleTime: FRESH_MS,
    })),
  });
  const lengths = queries
    .getQueryCache()
    .findAll({ queryKey: key })
    .flatMap(({ queryKey, state }) => {
      const index = queryKey[key.length];
      const people = state.data as readonly Person[] | undefined;
      return typeof index === 'number' && people !== undefined ? [[index, people.length] as const] : [];
    });
  return {
    // Read from the observed pages: what the cache gets by itself would not be drawn again.
    at: (row) => pages[Math.floor(row / PAGE_SIZE) - from]?.data?.[row % PAGE_SIZE],
    ...endOf(lengths, total),
    error: pages.find(({ error }) => error !== null)?.error ?? undefined,
    isPending: pages.every(({ data, isPending }) => isPending && data === undefined),
  };
}
