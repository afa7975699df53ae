// Notifications that were sent, and who can be sent to.

import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { nextPosition } from '../../../client/src/walking.ts';
import { clientOf, type SentNotification, type User } from './client.ts';

const PAGE = 50;

export const sentQuery = (application: string) =>
  infiniteQueryOptions({
    queryKey: [application, 'notifications'],
    queryFn: async ({ pageParam: after, signal }) => {
      const { body, headers } = await clientOf(application).raw.listNotifications({ limit: PAGE, after }, { signal });
      return { notifications: body, after: nextPosition(headers) };
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ after }) => after,
  });

const QUICK_MS = 2_000;
const SLOW_MS = 15_000;
/** What has been waiting for longer waits for a push service, which may take hours. */
const QUICK_FOR_MS = 60_000;

/** Asks again only while something is on its way, and less often when it takes long. */
export function nextLookMs(notifications: readonly SentNotification[], now: number): number | false {
  const waiting = notifications.filter(({ deliveries }) => deliveries.some(({ state }) => state === 'waiting'));
  if (waiting.length === 0) return false;
  return waiting.some(({ createdAt }) => now - Date.parse(createdAt) < QUICK_FOR_MS) ? QUICK_MS : SLOW_MS;
}

export interface Team {
  readonly name: string;
  readonly members: readonly User[];
}

/** Fails with FEATURE_DISABLED where notifications are off. */
export const pushKeyQuery = (application: string) =>
  queryOptions({
    queryKey: [application, 'pushKey'],
    queryFn: () => clientOf(application).users.devices.pushKey(),
    staleTime: Number.POSITIVE_INFINITY,
  });

/** More people than this are not looked through for teams. */
const PEOPLE_MAX = 5_000;

/** By name. Disabled users receive nothing. */
export const teamsQuery = (application: string) =>
  queryOptions({
    queryKey: [application, 'teams'],
    queryFn: async ({ signal }): Promise<readonly Team[]> => {
      const teams = new Map<string, User[]>();
      let seen = 0;
      for await (const { id, name, team, disabled } of clientOf(application).management.users.list({ signal })) {
        seen += 1;
        if (team !== undefined && !disabled) teams.set(team.name, [...(teams.get(team.name) ?? []), { id, name }]);
        if (seen === PEOPLE_MAX) break;
      }
      return [...teams].map(([name, members]) => ({ name, members })).sort((a, b) => a.name.localeCompare(b.name));
    },
    staleTime: 60_000,
  });
