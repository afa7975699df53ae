// The users of an application as everybody sees them.

import type { Context } from '../../context.ts';
import { listUsersShort, type UserPage } from '../../store/people/users.ts';
import type { UserShort } from '../../wire/users.ts';

export type { UserPage };

export const list = ({ store }: Context, page: UserPage): Promise<UserShort[]> => listUsersShort(store, page);
