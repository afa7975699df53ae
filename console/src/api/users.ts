// The people of an application, by a part of their name.

import { queryOptions, useQueries } from '@tanstack/react-query';
import { clientOf, type User } from './client.ts';
import { nearestFirst } from './nearest.ts';

/** More would not be read. */
const SHOWN = 20;

export const usersQuery = (application: string, search: string) =>
  queryOptions({
    queryKey: [application, 'users', search],
    queryFn: async ({ signal }) => {
      const found = search === '' ? {} : { search };
      return (await clientOf(application).raw.listUsers({ ...found, limit: SHOWN }, { signal })).body;
    },
    staleTime: 30_000,
  });

/**
 * People by a part of their name in any case. The interface tells cases apart, so what is typed is also asked for with
 * capital letters, and the first people of the list are looked through here.
 */
export function usePeople(application: string, text: string, enabled: boolean): readonly User[] {
  const typed = text.trim();
  const capitalized = typed.replaceAll(/(?<=^|\s)\S/gu, (letter) => letter.toLocaleUpperCase());
  const found = useQueries({
    queries: [...new Set(['', typed, capitalized])].map((each) => ({ ...usersQuery(application, each), enabled })),
  });
  const people = new Map(found.flatMap(({ data = [] }) => data.map((person) => [person.id, person] as const)));
  const wanted = typed.toLocaleLowerCase();
  const fitting = [...people.values()].filter(({ name }) => name.toLocaleLowerCase().includes(wanted));
  return nearestFirst(fitting, typed);
}
