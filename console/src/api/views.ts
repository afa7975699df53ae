// The views that are kept on the server: one's own, and those that admins share.

import { queryOptions } from '@tanstack/react-query';
import { clientOf } from './client.ts';

export const viewsQuery = (application: string, collectionId: string) =>
  queryOptions({
    queryKey: [application, 'views', collectionId],
    queryFn: async ({ signal }) => (await clientOf(application).raw.listViews({ collectionId }, { signal })).body,
    staleTime: 30_000,
  });
