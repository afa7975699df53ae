// Who may look at the activity log: the rule of the interface, so that nobody is led to a page that refuses them.

import type { Session } from '../api/client.ts';

export const maySeeActivity = ({ managementApiAccess, organizationManagementApiAccess }: Session): boolean =>
  managementApiAccess && organizationManagementApiAccess;
