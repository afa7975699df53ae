// The quotas of applications as the operator sees and changes them. They are part of the publish document, so a change
// is a publish like any other.

import type { OperatorContext } from '../../context.ts';
import { isoTime } from '../../domain/dates/iso-time.ts';
import { HOUR_MS, hourOf, inPlan, quotaOf } from '../../domain/quota.ts';
import { type ApplicationPlan, pageOfPlans } from '../../store/applications/applications.ts';
import { takenByGroup } from '../../store/applications/quotas.ts';
import { sumRequestCounts } from '../../store/applications/request-counts.ts';
import { unavailable } from '../../store/database/database-errors.ts';
import {
  type Definition,
  type Limits,
  QUOTA_GROUPS,
  type QuotaChange,
  type QuotaGroup,
} from '../../wire/publish-document.ts';
import type { QuotasOverview, QuotasView, QuotaUse } from '../../wire/quotas.ts';
import { requireApplication } from './applications.ts';
import { amend } from './publish.ts';

/** Applications whose counts are read concurrently. */
const AT_ONCE = 8;

export async function show(context: OperatorContext, applicationId: string): Promise<QuotasView> {
  const { definition } = await requireApplication(context, applicationId);
  const now = context.now();
  const taken = await takenByGroup(context.database.application(applicationId), now);
  return {
    plan: definition.plan,
    ...hourAt(now),
    groups: QUOTA_GROUPS.map((group) => ({
      group,
      inPlan: inPlan(definition, group),
      ...useOf(definition, group, taken),
    })),
  };
}

export async function change(
  context: OperatorContext,
  applicationId: string,
  { plan, limits = {} }: QuotaChange,
): Promise<QuotasView> {
  await amend(context, applicationId, (current) => {
    const changed: Record<string, number | null> = limits === null ? {} : { ...current.limits, ...limits };
    const kept = Object.entries(changed).filter(([, limit]) => limit !== null);
    return { ...current, plan: plan ?? current.plan, limits: Object.fromEntries(kept) as Limits };
  });
  return show(context, applicationId);
}

/**
 * The groups that have a limit, the most used first. Only applications with requests in this hour are asked for their counts, so
 * that the list costs what is used: an application that another node has served for the first time may come ten seconds late.
 */
export async function list(context: OperatorContext, count: number): Promise<QuotasOverview> {
  const { system } = context.database;
  const now = context.now();
  await context.countedRequests.write(system, now);
  const used = await sumRequestCounts(system, isoTime(hourOf(now) - HOUR_MS));
  const groups: QuotasOverview['groups'][number][] = [];
  let unknown = 0;
  for (let page = await pageOfPlans(system, ''); page.length > 0; page = await pageOfPlans(system, page.at(-1)!.id)) {
    const limited = page.filter((plan) => limitedGroups(plan).length > 0);
    for (let first = 0; first < limited.length; first += AT_ONCE) {
      const some = limited.slice(first, first + AT_ONCE);
      for (const uses of await Promise.all(some.map((plan) => usesOf(context, plan, { now, used })))) {
        if (uses === undefined) unknown += 1;
        else groups.push(...uses);
      }
    }
  }
  groups.sort((one, other) => usedRatio(other) - usedRatio(one));
  return { ...hourAt(now), total: groups.length, unavailable: unknown, groups: groups.slice(0, count) };
}

/** Undefined while the application cannot be asked: on a cluster, one worker may be away. */
async function usesOf(
  { database }: OperatorContext,
  plan: ApplicationPlan,
  { now, used }: { readonly now: number; readonly used: ReadonlyMap<string, unknown> },
) {
  const { id: applicationId, name } = plan;
  const taken = used.has(applicationId)
    ? await takenByGroup(database.application(applicationId), now).catch((error: unknown) => {
        if (unavailable(error) === undefined) throw error;
        return undefined;
      })
    : new Map<QuotaGroup, number>();
  if (taken === undefined) return undefined;
  return limitedGroups(plan).map((group) => ({ applicationId, name, group, ...useOf(plan, group, taken) }));
}

const limitedGroups = (plan: ApplicationPlan): QuotaGroup[] =>
  QUOTA_GROUPS.filter((group) => typeof quotaOf(plan, group) === 'number');

function useOf(
  definition: Pick<Definition, 'plan' | 'limits'>,
  group: QuotaGroup,
  counts: ReadonlyMap<QuotaGroup, number>,
): Omit<QuotaUse, 'group'> {
  const quota = quotaOf(definition, group);
  const taken = counts.get(group) ?? 0;
  if (typeof quota !== 'number') return { limit: null, source: null, taken, left: null };
  const source = definition.limits[group] === undefined ? 'plan' : 'set';
  return { limit: quota, source, taken, left: Math.max(0, quota - taken) };
}

/** A group that is closed by a limit of 0 and unused sorts last. */
const usedRatio = ({ limit, taken }: QuotaUse): number => (taken === 0 ? 0 : taken / (limit ?? 0));

function hourAt(now: number) {
  const hour = hourOf(now);
  return { hour: new Date(hour).toISOString(), resetsAt: new Date(hour + HOUR_MS).toISOString() };
}
