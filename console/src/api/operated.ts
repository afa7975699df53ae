// What the operator's interface says of applications, quotas and organizations.

import { queryOptions } from '@tanstack/react-query';
import type {
  ApplicationUse,
  HourlyUse,
  PublishedDocument,
  PublishedVersion,
  Publishing,
  PublishReply,
  Quotas,
  QuotasOverview,
} from './operated-shapes.ts';
import { askOperator } from './operator.ts';

const pathOf = (application: string): string => `/applications/${encodeURIComponent(application)}`;

export const publishedQuery = (application: string) =>
  queryOptions({
    queryKey: ['operator', 'published', application],
    queryFn: async ({ signal }) => (await askOperator(pathOf(application), { signal })) as PublishedDocument,
    staleTime: 5_000,
  });

const PROGRESS_MS = 500;

/** Asked again and again while somebody looks. */
export const publishingQuery = (application: string, isWatched: boolean) =>
  queryOptions({
    queryKey: ['operator', 'publishing', application],
    queryFn: async ({ signal }) =>
      ((await askOperator(`${pathOf(application)}/publishing`, { signal })) as { publishing: Publishing | null })
        .publishing,
    enabled: isWatched,
    refetchInterval: PROGRESS_MS,
    // Only what is seen now counts.
    gcTime: 0,
    retry: false,
  });

export const quotasQuery = (application: string) =>
  queryOptions({
    queryKey: ['operator', 'quotas', application],
    queryFn: async ({ signal }) => (await askOperator(`${pathOf(application)}/quotas`, { signal })) as Quotas,
    refetchInterval: 10_000,
  });

export const quotasOverviewQuery = queryOptions({
  queryKey: ['operator', 'quotas'],
  queryFn: async ({ signal }) => (await askOperator('/quotas', { signal })) as QuotasOverview,
  // The server reads the counts one by one.
  refetchInterval: 30_000,
});

export const changeQuotas = async (
  application: string,
  change: { readonly plan: string; readonly limits: Readonly<Record<string, number | null>> },
): Promise<Quotas> => (await askOperator(`${pathOf(application)}/quotas`, { method: 'PUT', body: change })) as Quotas;

/** Of all applications, by their identifiers. */
export const allUseQuery = queryOptions({
  queryKey: ['operator', 'use'],
  queryFn: async ({ signal }) => {
    const uses = (await askOperator('/use', { signal })) as readonly ApplicationUse[];
    return new Map(uses.map((use) => [use.applicationId, use]));
  },
  refetchInterval: 60_000,
});

export const hourlyUseQuery = (application: string) =>
  queryOptions({
    queryKey: ['operator', 'use', application],
    queryFn: async ({ signal }) => (await askOperator(`${pathOf(application)}/use`, { signal })) as HourlyUse,
    refetchInterval: 60_000,
  });

interface PublishOptions {
  readonly dryRun: boolean;
  readonly allowDataLoss: boolean;
}

export const publishDocument = async (
  document: object,
  { dryRun, allowDataLoss }: PublishOptions,
): Promise<PublishReply> =>
  (await askOperator(`/applications?dryRun=${dryRun}&allowDataLoss=${allowDataLoss}`, {
    method: 'POST',
    body: document,
  })) as PublishReply;

export const removeApplication = async (application: string): Promise<void> => {
  await askOperator(pathOf(application), { method: 'DELETE' });
};

export const versionsQuery = (application: string) =>
  queryOptions({
    queryKey: ['operator', 'versions', application],
    queryFn: async ({ signal }) =>
      (await askOperator(`${pathOf(application)}/versions`, { signal })) as readonly PublishedVersion[],
  });

/** What a version was never changes. */
export const versionQuery = (application: string, version: number) =>
  queryOptions({
    queryKey: ['operator', 'version', application, version],
    queryFn: async ({ signal }) =>
      (await askOperator(`${pathOf(application)}/versions/${version}`, { signal })) as PublishedDocument,
    staleTime: Number.POSITIVE_INFINITY,
  });
