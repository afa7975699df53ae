// `cartulary quotas`: what an application may be asked in an hour, and what of it is taken.

import type { Command } from 'commander';
import { PLANS, QUOTA_GROUPS, type QuotaChange } from '../wire/publish-document.ts';
import { CommandFailure } from './failure.ts';
import type { OperatorClient } from './operator-client.ts';

export interface QuotaOptions {
  readonly plan?: string;
  readonly limit: readonly string[];
}

interface QuotasView {
  readonly plan: string;
  readonly resetsAt: string;
  readonly groups: readonly {
    readonly group: string;
    readonly inPlan: boolean;
    readonly limit: number | null;
    readonly taken: number;
    readonly left: number | null;
  }[];
}

export function readQuotaOptions(command: Command): Command {
  const each = (limit: string, limits: readonly string[]) => [...limits, limit];
  return command
    .description('change the plan or single limits; takes effect within a second')
    .option('--plan <plan>', `one of ${PLANS.join(', ')}`)
    .option('--limit <group=number>', `of ${QUOTA_GROUPS.join(', ')}; none for that of the plan`, each, []);
}

export const showQuotas = async (client: OperatorClient, applicationId: string): Promise<string> =>
  tableOf((await client.send('GET', pathOf(applicationId))) as QuotasView);

export async function setQuotas(client: OperatorClient, applicationId: string, options: QuotaOptions): Promise<string> {
  const { plan, limit } = options;
  const change = { ...(plan === undefined ? {} : { plan }), limits: Object.fromEntries(limit.map(readLimit)) };
  return tableOf((await client.send('PUT', pathOf(applicationId), change as QuotaChange)) as QuotasView);
}

const pathOf = (applicationId: string): string => `/applications/${applicationId}/quotas`;

function readLimit(text: string): [group: string, limit: number | null] {
  const [group = '', limit = ''] = text.split('=', 2);
  if (limit === 'none') return [group, null];
  if (/^\d{1,10}$/.test(limit)) return [group, Number(limit)];
  throw new CommandFailure(`${text} is no limit; it should look like records-read=100000 or records-read=none.`);
}

function tableOf({ plan, resetsAt, groups }: QuotasView): string {
  const rows = groups.map(({ group, inPlan, limit, taken, left }) => {
    if (!inPlan) return [group, 'not in the plan', '', ''];
    return [group, limit === null ? 'no limit' : String(limit), String(taken), left === null ? '' : String(left)];
  });
  const table = [['Group', 'Limit', 'Taken', 'Left'], ...rows];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...table.map((row) => row[column]?.length ?? 0)));
  const lines = table.map((row) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  ')
      .trimEnd(),
  );
  return [`Plan ${plan}; the count begins anew at ${resetsAt}.`, ...lines].join('\n');
}
