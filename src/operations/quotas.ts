// The quotas of an application as its operator sees and changes them. They stand in the publish document: a change of
// them is a publishing like any other.

import type { OperatorContext } from '../context.ts';
import { HOUR_MS, hourOf, quotaOf } from '../domain/quota.ts';
import { takenByGroup } from '../store/quotas.ts';
import { type Limits, QUOTA_GROUPS, type QuotaChange } from '../wire/publish-document.ts';
import { amend, existing } from './applications.ts';

export async function show(context: OperatorContext, applicationId: string) {
  const { definition } = await existing(context, applicationId);
  const now = context.now();
  const taken = await takenByGroup(context.database.application(applicationId), now);
  const hour = hourOf(now);
  return {
    plan: definition.plan,
    hour: new Date(hour).toISOString(),
    resetsAt: new Date(hour + HOUR_MS).toISOString(),
    groups: QUOTA_GROUPS.map((group) => {
      const quota = quotaOf(definition, group);
      const limit = typeof quota === 'number' ? quota : null;
      const used = taken.get(group) ?? 0;
      const left = limit === null ? null : Math.max(0, limit - used);
      return { group, inPlan: quota !== 'not in plan', limit, taken: used, left };
    }),
  };
}

export async function change(context: OperatorContext, applicationId: string, { plan, limits = {} }: QuotaChange) {
  await amend(context, applicationId, (current) => {
    const changed: Record<string, number | null> = { ...current.limits, ...limits };
    const kept = Object.entries(changed).filter(([, limit]) => limit !== null);
    return { ...current, plan: plan ?? current.plan, limits: Object.fromEntries(kept) as Limits };
  });
  return show(context, applicationId);
}
