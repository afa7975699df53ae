// The quotas of the plans, and the quotas that apply to an application by its publish document.

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

/** Requests per clock hour; undefined if unlimited. A limit in the document overrides the plan. */
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

/** Quotas are counted per clock hour of UTC. */
export const HOUR_MS = 3_600_000;

/** The start of the moment's hour; both in milliseconds since 1970. */
export const hourOf = (moment: number): number => moment - (moment % HOUR_MS);

/**
 * A lease is the remaining quota divided by this: large at first and single requests near the end, so that a killed server
 * loses only a small share of the quota.
 */
export const LEASE_DIVISOR = 20;

/** The first lease of an hour. The statement in store/applications/quotas computes later ones by the same rule. */
export const freshLease = (quota: number, asked: number): number =>
  Math.min(quota, Math.max(asked, Math.floor(quota / LEASE_DIVISOR)));

/** Whole seconds until the end of the hour, as reported to clients. */
export const secondsUntil = (end: number, now: number): number => Math.max(1, Math.ceil((end - now) / 1000));
