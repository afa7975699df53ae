// The people of an application, by a part of their name.

import { queryOptions } from '@tanstack/react-query';
import { clientOf } from './client.ts';

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
