// What a user has opened: sessions, tokens and devices.

import { queryOptions } from '@tanstack/react-query';
import { clientOf } from './client.ts';

export const sessionsQuery = (application: string, userId: string) =>
  queryOptions({
    queryKey: [application, 'sessions', userId],
    queryFn: async ({ signal }) => (await clientOf(application).raw.listSessions({ userId }, { signal })).body,
    staleTime: 10_000,
  });

export const tokensQuery = (application: string, userId: string) =>
  queryOptions({
    queryKey: [application, 'tokens', userId],
    queryFn: async ({ signal }) => (await clientOf(application).raw.listTokens({ userId }, { signal })).body,
    staleTime: 10_000,
  });

export const devicesQuery = (application: string, userId: string) =>
  queryOptions({
    queryKey: [application, 'devices', userId],
    queryFn: async ({ signal }) => (await clientOf(application).raw.listDevices({ userId }, { signal })).body,
    staleTime: 10_000,
  });
