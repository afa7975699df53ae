// The profiles and teams of an application, and how many users each has. They come from the publish document; one that was
// removed there is listed as long as a user has it.

import { fault } from '../../faults.ts';
import { countUsersBy } from '../../store/people/users.ts';
import type { UserGroup } from '../../wire/users.ts';
import type { UserManager } from './user-managers.ts';

export const listProfiles = async ({ application, store }: UserManager): Promise<UserGroup[]> =>
  groups(application.definition.profiles, await countUsersBy(store, 'profile'));

export async function listTeams({ application, store }: UserManager): Promise<UserGroup[]> {
  const { teams, teamsModeEnabled } = application.definition;
  if (!teamsModeEnabled) throw fault('FEATURE_DISABLED', { feature: 'teams' });
  return groups(teams, await countUsersBy(store, 'team'));
}

const groups = (published: readonly string[], users: ReadonlyMap<string, number>): UserGroup[] => [
  ...published.map((name) => ({ name, users: users.get(name) ?? 0 })),
  ...[...users].flatMap(([name, count]) =>
    published.includes(name) ? [] : [{ name, users: count, removed: true as const }],
  ),
];
