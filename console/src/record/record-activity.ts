// Whether a record's page has the activity log, which is read by few: it tells who looked at which file.

import { queryOptions } from '@tanstack/react-query';
import { clientOf, type Session } from '../api/client.ts';

/** Whether the application keeps a log that this person may read; asked once, and of nobody who may not. */
export const hasActivityQuery = (application: string, session: Session) =>
  queryOptions({
    queryKey: [application, 'hasActivity', session.user.id],
    queryFn: async ({ signal }) => {
      try {
        await clientOf(application).raw.listActivity({ limit: 1 }, { signal });
        return true;
      } catch {
        signal.throwIfAborted();
        return false;
      }
    },
    enabled: session.managementApiAccess && session.organizationManagementApiAccess,
    staleTime: Number.POSITIVE_INFINITY,
  });
