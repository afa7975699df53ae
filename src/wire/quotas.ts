// The quotas of applications as their operator sees them.

import type { Plan, QuotaGroup } from './publish-document.ts';

export interface QuotaUse {
  readonly group: QuotaGroup;
  /** Requests in a clock hour; null without a bound. */
  readonly limit: number | null;
  /** Whether the limit is that of the plan or was set for this group. */
  readonly source: 'plan' | 'set' | null;
  /** In this hour, with what servers have leased and not used yet. */
  readonly taken: number;
  readonly left: number | null;
}

interface Hour {
  readonly hour: string;
  readonly resetsAt: string;
}

export interface QuotasView extends Hour {
  readonly plan: Plan;
  readonly groups: readonly (QuotaUse & { readonly inPlan: boolean })[];
}

/** Of all applications what has a limit. */
export interface QuotasOverview extends Hour {
  /** How many there are, of which the first are told. */
  readonly total: number;
  readonly groups: readonly (QuotaUse & { readonly applicationId: string; readonly name: string })[];
}

export const OVERVIEW_DEFAULT = 100;
export const OVERVIEW_MAX = 10_000;
