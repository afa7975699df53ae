// The quotas of applications as the operator sees them.

import type { Static } from 'typebox';
import { identifier } from './identifiers.ts';
import { PLANS, QUOTA_GROUPS } from './publish-document.ts';
import { Instant, Type } from './type.ts';

const QuotaUse = Type.Object({
  group: Type.Enum(QUOTA_GROUPS),
  /** Requests in a clock hour; null without a limit. */
  limit: Type.Union([Type.Null(), Type.Integer()]),
  /** Whether the limit comes from the plan or was set for this group. */
  source: Type.Union([Type.Null(), Type.Enum(['plan', 'set'])]),
  /** In this hour, including requests that servers have leased and not used yet. */
  taken: Type.Integer(),
  left: Type.Union([Type.Null(), Type.Integer()]),
});
export type QuotaUse = Static<typeof QuotaUse>;

const HOUR = { hour: Instant, resetsAt: Instant };

export const QuotasView = Type.Object({
  plan: Type.Enum(PLANS),
  ...HOUR,
  groups: Type.Array(Type.Object({ ...QuotaUse.properties, inPlan: Type.Boolean() })),
});
export type QuotasView = Static<typeof QuotasView>;

/** The groups of all applications that have a limit. */
export const QuotasOverview = Type.Object({
  ...HOUR,
  /** How many such groups exist; `groups` has the first of them. */
  total: Type.Integer(),
  /** Applications whose counts cannot be read now: their groups are neither in `groups` nor in `total`. */
  unavailable: Type.Integer(),
  groups: Type.Array(
    Type.Object({ ...QuotaUse.properties, applicationId: identifier('applicationId'), name: Type.String() }),
  ),
});
export type QuotasOverview = Static<typeof QuotasOverview>;

export const OVERVIEW_DEFAULT = 100;
export const OVERVIEW_MAX = 10_000;
