// `cartulary quotas`: the hourly limits of applications and their use.

import { LIMIT_MAX, PLANS, QUOTA_GROUPS, type QuotaChange } from '../../wire/publish-document.ts';
import { OVERVIEW_DEFAULT, type QuotasOverview, type QuotasView } from '../../wire/quotas.ts';
import { usageFailure } from '../failure.ts';
import type { OperatorClient } from '../operator-client.ts';
import { countOf, inColumns } from './columns.ts';
import { findApplicationId } from './names.ts';
import { type CommandRow, JSON_OPTION, operatorCommand, type Printing } from './row.ts';

interface QuotaOptions extends Printing {
  readonly plan?: string;
  readonly limit?: readonly string[];
  readonly clearLimits?: true;
}

async function showQuotas(client: OperatorClient, applicationId: string, { json }: Printing): Promise<string> {
  const view = (await client.send('GET', pathOf(applicationId))) as QuotasView;
  return json ? jsonOf(view) : tableOf(view);
}

async function setQuotas(client: OperatorClient, applicationId: string, options: QuotaOptions): Promise<string> {
  const { plan, limit = [], clearLimits, json } = options;
  if (plan === undefined && limit.length === 0 && !clearLimits) {
    throw usageFailure('Nothing to change; give --plan, --limit or --clear-limits.');
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

async function listQuotas(client: OperatorClient, { top, json }: Printing & { top?: string }): Promise<string> {
  const query = top === undefined ? '' : `?limit=${encodeURIComponent(top)}`;
  const overview = (await client.send('GET', `/quotas${query}`)) as QuotasOverview;
  return json ? jsonOf(overview) : overviewOf(overview);
}

const NUMBERS = ['Limit', 'Taken', 'Left', 'Used'];

const pathOf = (applicationId: string): string => `/applications/${applicationId}/quotas`;

function readLimit(text: string): [group: string, limit: number | null] {
  const [group = '', limit = ''] = text.split('=', 2);
  if (limit === 'none') return [group, null];
  if (!/^\d+$/.test(limit)) {
    throw usageFailure(`${text} is not a limit; it should look like records-read=100000 or records-read=none.`);
  }
  if (Number(limit) > LIMIT_MAX) {
    throw usageFailure(`${text} is too large: a limit is a number from 0 to ${LIMIT_MAX.toLocaleString('en')}.`);
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
  const table = inColumns([['Group', 'Limit', 'From', 'Taken', 'Left'], ...rows], { numbers: NUMBERS });
  return [`Plan ${plan}; the count restarts at ${resetsAt}.`, ...table].join('\n');
}

/** A server of an earlier version counts none as unavailable. */
function overviewOf({ resetsAt, total, unavailable = 0, groups }: QuotasOverview): string {
  const leftOut =
    unavailable === 0 ? [] : [`Left out: ${countOf(unavailable, 'application')} whose counts cannot be read now.`];
  if (total === 0) return leftOut[0] ?? 'No application has a limit.';
  const rows = groups.map(({ applicationId, name, group, limit, source, taken, left }) => {
    const used = taken === 0 ? 0 : Math.floor((100 * taken) / (limit || taken));
    return [applicationId, group, String(limit), source ?? '', String(taken), String(left), `${used} %`, name];
  });
  const table = inColumns([['Application', 'Group', 'Limit', 'From', 'Taken', 'Left', 'Used', 'Name'], ...rows], {
    numbers: NUMBERS,
  });
  const all = countOf(total, 'limit');
  const shown = groups.length < total ? `The first ${groups.length} of ${all}` : total === 1 ? all : `All ${all}`;
  return [...table, `${shown}; the count restarts at ${resetsAt}.`, ...leftOut].join('\n');
}

export const QUOTA_COMMANDS: readonly CommandRow[] = [
  operatorCommand<Printing>({
    usage: 'quotas show <application>',
    summary: 'show the limits and their use in this hour',
    options: [JSON_OPTION],
    examples: ["quotas show 'Field inspections'"],
    run: async (client, { args: [given = ''], options }) =>
      console.log(await showQuotas(client, await findApplicationId(client, given), options)),
  }),
  operatorCommand<Printing & { top?: string }>({
    usage: 'quotas list',
    summary: 'list the limits of all applications, the most used first',
    options: [
      { flags: '--top <number>', text: `how many to list, by default ${OVERVIEW_DEFAULT}`, member: 'limit' },
      JSON_OPTION,
    ],
    examples: ['quotas list --top 10'],
    run: async (client, { options }) => console.log(await listQuotas(client, options)),
  }),
  operatorCommand<QuotaOptions>({
    usage: 'quotas set <application>',
    summary: 'change the plan or single limits; takes effect within a second',
    options: [
      { flags: '--plan <plan>', text: `one of ${PLANS.join(', ')}; limits that were set stay` },
      {
        flags: '--limit <group=number>',
        text: `limit of ${QUOTA_GROUPS.join(', ')}; "none" restores the limit of the plan`,
        repeated: true,
        member: 'limits',
      },
      { flags: '--clear-limits', text: 'remove all limits that were set before' },
      JSON_OPTION,
    ],
    details: 'A document that is published later replaces what is set here.',
    examples: ["quotas set 'Field inspections' --plan enterprise --limit records-read=100000"],
    run: async (client, { args: [given = ''], options }) =>
      console.log(await setQuotas(client, await findApplicationId(client, given), options)),
  }),
];
