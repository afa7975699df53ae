// `cartulary logs export`: the activity log of an application as JSON Lines, of any period that is kept.

import { usageFailure } from '../failure.ts';
import { chunksOf, FORCE_OPTION, save } from '../files/save.ts';
import type { UserSession } from '../user-session.ts';
import { type CommandRow, userCommand } from './row.ts';

interface LogOptions {
  readonly from?: string;
  readonly to?: string;
  readonly output: string;
  readonly force?: true;
}

const DAY_MS = 86_400_000;
/** The longest period of one request; a longer one is read in several. */
const PERIOD_MS_MAX = 90 * DAY_MS;
const DAYS_DEFAULT = 7;

/** `2026-11-16`, `2026-11-16T10:00Z`, or `30d` for days ago. */
function readTime(option: string, given: string): number {
  const days = /^(\d{1,5})d$/.exec(given)?.[1];
  if (days !== undefined) return Date.now() - Number(days) * DAY_MS;
  const isTime = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[-+]\d\d:\d\d))?$/.test(given);
  const time = isTime ? Date.parse(given) : Number.NaN;
  if (!Number.isNaN(time)) return time;
  throw usageFailure(
    `${option} ${given} is no time; it should look like 2026-11-16, 2026-11-16T10:00Z, or 30d for 30 days ago.`,
  );
}

async function* entries({ raw }: UserSession, from: number, to: number): AsyncGenerator<Uint8Array> {
  for (let start = from; start < to; start += PERIOD_MS_MAX) {
    const end = Math.min(to, start + PERIOD_MS_MAX);
    const period = { startDate: new Date(start).toISOString(), endDate: new Date(end).toISOString() };
    const { body: response } = await raw.exportActivityLog(period);
    yield* chunksOf(response);
  }
}

export const LOG_COMMANDS: readonly CommandRow[] = [
  userCommand<LogOptions>({
    usage: 'logs export',
    summary: 'export the activity log, one JSON object per line',
    options: [
      {
        flags: '--from <time>',
        text: `first moment, as 2026-11-16 (UTC), 2026-11-16T10:00Z or 30d; by default ${DAYS_DEFAULT}d`,
      },
      { flags: '--to <time>', text: 'first moment after the period; by default now' },
      { flags: '--output <file>', text: 'where to write it; - for standard output', default: '-' },
      FORCE_OPTION,
    ],
    details: 'It needs organization management access. Periods of more than 90 days are read in several requests.',
    examples: [
      'logs export --from 30d --output activity.jsonl',
      'logs export --from 2026-11-01 --to 2026-12-01 | head',
    ],
    run: async (session, { options }) => {
      const from = readTime('--from', options.from ?? `${DAYS_DEFAULT}d`);
      const to = options.to === undefined ? Date.now() : readTime('--to', options.to);
      if (to < from) throw usageFailure('--to is before --from.');
      const { output, force } = options;
      await save(entries(session, from, to), { output, force, title: 'Exporting the activity log' });
      if (output !== '-') console.log(output);
    },
  }),
];
