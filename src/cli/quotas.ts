// `cartulary quotas`: the hourly limits of applications and their use.

import type { Command } from 'commander';
import { LIMIT_MAX, PLANS, QUOTA_GROUPS, type QuotaChange } from '../wire/publish-document.ts';
import type { QuotasOverview, QuotasView } from '../wire/quotas.ts';
import { CommandFailure } from './failure.ts';
import type { OperatorClient } from './operator-client.ts';

interface Printing {
  readonly json?: true;
}

export interface QuotaOptions extends Printing {
  readonly plan?: string;
  readonly limit: readonly string[];
  readonly clearLimits?: true;
}

export function readQuotaOptions(command: Command): Command {
  const each = (limit: string, limits: readonly string[]) => [...limits, limit];
  return command
    .description('change the plan or single limits; takes effect within a second')
    .option('--plan <plan>', `one of ${PLANS.join(', ')}; limits that were set stay`)
    .option(
      '--limit <group=number>',
      `limit of ${QUOTA_GROUPS.join(', ')}; "none" restores the limit of the plan`,
      each,
      [],
    )
    .option('--clear-limits', 'remove all limits that were set before');
}

export async function showQuotas(client: OperatorClient, applicationId: string, { json }: Printing): Promise<string> {
  const view = (await client.send('GET', pathOf(applicationId))) as QuotasView;
  return json ? jsonOf(view) : tableOf(view);
}

export async function setQuotas(client: OperatorClient, applicationId: string, options: QuotaOptions): Promise<string> {
  const { plan, limit, clearLimits, json } = options;
  if (plan === undefined && limit.length === 0 && !clearLimits) {
    throw new CommandFailure('Nothing to change; give --plan, --limit or --clear-limits.');
  }
  const cleared = clearLimits ? QUOTA_GROUPS.map((group) => [group, null] as const) : [];
  const limits = Object.fromEntries([...cleared, ...limit.map(readLimit)]);
  const change = { ...(plan === undefined ? {} : { plan }), limits } as QuotaChange;
  const view = (await client.send('PUT', pathOf(applicationId), change)) as QuotasView;
  if (json) return jsonOf(view);
  const kept = view.groups.filter(({ group, source }) => source === 'set' && !(group in limits));
  if (kept.length === 0) return tableOf(view);
  const named = kept.map((one) => `${one.group}=${one.limit}`).join(', ');
  return `${tableOf(view)}\nSet before and kept: ${named}. --clear-limits removes them.`;
}

export async function listQuotas(client: OperatorClient, { top, json }: Printing & { top?: string }): Promise<string> {
  const query = top === undefined ? '' : `?limit=${encodeURIComponent(top)}`;
  const overview = (await client.send('GET', `/quotas${query}`)) as QuotasOverview;
  return json ? jsonOf(overview) : overviewOf(overview);
}

const pathOf = (applicationId: string): string => `/applications/${applicationId}/quotas`;

function readLimit(text: string): [group: string, limit: number | null] {
  const [group = '', limit = ''] = text.split('=', 2);
  if (limit === 'none') return [group, null];
  if (!/^\d+$/.test(limit)) {
    throw new CommandFailure(`${text} is not a limit; it should look like records-read=100000 or records-read=none.`);
  }
  if (Number(limit) > LIMIT_MAX) {
    throw new CommandFailure(`${text} is too large: a limit is a number from 0 to ${LIMIT_MAX.toLocaleString('en')}.`);
  }
  return [group, Number(limit)];
}

const jsonOf = (view: unknown): string => JSON.stringify(view, undefined, 2);

function tableOf({ plan, resetsAt, groups }: QuotasView): string {
  const rows = groups.map(({ group, inPlan, limit, source, taken, left }) => {
    if (!inPlan) return [group, 'not in the plan'];
    if (limit === null) return [group, 'no limit', '', String(taken)];
    return [group, String(limit), source ?? '', String(taken), String(left)];
  });
  const table = inColumns([['Group', 'Limit', 'From', 'Taken', 'Left'], ...rows]);
  return [`Plan ${plan}; the count restarts at ${resetsAt}.`, ...table].join('\n');
}

function overviewOf({ resetsAt, total, groups }: QuotasOverview): string {
  if (total === 0) return 'No application has a limit.';
  const rows = groups.map(({ applicationId, name, group, limit, source, taken, left }) => {
    const used = taken === 0 ? 0 : Math.floor((100 * taken) / (limit || taken));
    return [applicationId, group, String(limit), source ?? '', String(taken), String(left), `${used} %`, name];
  });
  const table = inColumns([['Application', 'Group', 'Limit', 'From', 'Taken', 'Left', 'Used', 'Name'], ...rows]);
  const shown = groups.length === total ? 'All' : `The first ${groups.length} of`;
  return [...table, `${shown} ${total} limits; the count restarts at ${resetsAt}.`].join('\n');
}

const NUMBERS = ['Limit', 'Taken', 'Left', 'Used'];

/** The first row holds the headings. */
function inColumns(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const fit = (cell: string, column: number) => {
    const width = widths[column] ?? 0;
    return NUMBERS.includes(rows[0]?.[column] ?? '') ? cell.padStart(width) : cell.padEnd(width);
  };
  return rows.map((row) => row.map(fit).join('  ').trimEnd());
}
