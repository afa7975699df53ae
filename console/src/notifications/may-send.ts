// Who may send notifications: the rule of the interface, so that nobody is led to a page that refuses them.

import type { Session } from '../api/client.ts';

export const maySend = ({ admin, apiAccess }: Session): boolean => admin && apiAccess;
