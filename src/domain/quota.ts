// The quotas of the plans, as the interface has them, and what a publish document makes of them.

import type { Definition, Plan, QuotaGroup } from '../wire/publish-document.ts';

type Quotas = Readonly<Record<QuotaGroup, number | 'not in plan'>>;

const PLAN_QUOTAS: Readonly<Record<Exclude<Plan, 'custom' | 'unlimited'>, Quotas>> = {
  basic: {
    'records-read': 200,
    'records-write': 100,
    'attachments-read': 25,
    'attachments-write': 5,
    'management-read': 'not in plan',
    'management-write': 'not in plan',
  },
  premium: {
    'records-read': 4_000,
    'records-write': 2_000,
    'attachments-read': 500,
    'attachments-write': 100,
    'management-read': 'not in plan',
    'management-write': 'not in plan',
  },
  enterprise: {
    'records-read': 8_000,
    'records-write': 4_000,
    'attachments-read': 1_000,
    'attachments-write': 200,
    'management-read': 2_000,
    'management-write': 1_000,
  },
};

/** Requests in a clock hour; undefined without a bound. A limit of the document counts in every plan. */
export function quotaOf(
  { plan, limits }: Pick<Definition, 'plan' | 'limits'>,
  group: QuotaGroup,
): number | 'not in plan' | undefined {
  const limit = limits[group];
  if (limit !== undefined) return limit;
  return plan === 'custom' || plan === 'unlimited' ? undefined : PLAN_QUOTAS[plan][group];
}

export const inPlan = (definition: Pick<Definition, 'plan' | 'limits'>, group: QuotaGroup): boolean =>
  quotaOf(definition, group) !== 'not in plan';

/** The window: a clock hour of UTC. */
export const HOUR_MS = 3_600_000;

/** When the hour of a moment began; both in milliseconds since 1970. */
export const hourOf = (moment: number): number => moment - (moment % HOUR_MS);

/**
 * A lease is this part of what is left: large while much is left and single near the end, so that what a server that is
 * killed had taken in advance is little.
 */
export const LEASE_PART = 20;

/** The first lease of an hour. Those that follow are reckoned by the same rule where the count is (store/applications/quotas). */
export const freshLease = (quota: number, asked: number): number =>
  Math.min(quota, Math.max(asked, Math.floor(quota / LEASE_PART)));

/** Whole seconds until the end of an hour, for clients that come again then. */
export const secondsUntil = (end: number, now: number): number => Math.max(1, Math.ceil((end - now) / 1000));
