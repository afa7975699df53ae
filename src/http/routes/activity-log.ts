// The route that exports the activity log: a file with one entry per line.

import { Readable } from 'node:stream';
import { contentDisposition } from '../../domain/attachments/filenames.ts';
import { fault } from '../../faults.ts';
import { checkPeriod, exportEntries, requireActivityLog } from '../../operations/activity/activity-log.ts';
import { ActivityEntry } from '../../wire/activity-log.ts';
import { LINES_TYPE } from '../replies/reply.ts';
import { lines } from '../replies/success.ts';
import type { Input, Parameters } from '../requests/input.ts';
import { type UserRoute, userRoute } from './row.ts';

const DATE = { type: 'string', examples: ['2026-01-31T00:00:00.000Z'] };
const PARAMETERS = {
  startDate: { schema: DATE, sentence: 'Where the period begins.', required: true },
  endDate: {
    schema: DATE,
    sentence: 'Where it ends, at most 90 days later; this moment itself is not part of it.',
    required: true,
  },
} as const satisfies Parameters;

export const ACTIVITY_LOG_ROUTES: readonly UserRoute[] = [
  userRoute({
    method: 'GET',
    path: '/v1/:applicationId/management/userActivityLogs',
    permission: 'organization',
    group: 'management-read',
    parameters: PARAMETERS,
    operation: 'exportActivityLog',
    sentence: 'The entries of the activity log of a period, as a file with one entry a line.',
    success: [lines(ActivityEntry, 'The entries, oldest first.')],
    run: async (context, { query }) => {
      requireActivityLog(context);
      const period = { start: readDate(query, 'startDate'), end: readDate(query, 'endDate') };
      checkPeriod(period);
      const headers = {
        'content-type': LINES_TYPE,
        'content-disposition': contentDisposition(fileName(context.application.id, period)),
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
      };
      return { status: 200, headers, stream: async () => Readable.from(await exportEntries(context, period)) };
    },
  }),
];

/** Milliseconds since 1970. Dates that do not exist are refused: Date.parse would turn February 30 into March 2. */
function readDate(query: Input<unknown>['query'], parameter: keyof typeof PARAMETERS): number {
  const text = query[parameter];
  if (text === undefined) throw fault('INVALID_PARAMETER', { parameter, reason: 'is missing' });
  const milliseconds = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(milliseconds) || new Date(milliseconds).toISOString() !== text) {
    throw fault('INVALID_PARAMETER', { parameter, reason: 'must be a date such as 2026-01-31T00:00:00.000Z' });
  }
  return milliseconds;
}

/** Without characters that a file system may refuse: `p…-activity-20260101T000000000Z-20260131T000000000Z.ndjson`. */
function fileName(applicationId: string, { start, end }: { start: number; end: number }): string {
  const [from, to] = [start, end].map((time) => new Date(time).toISOString().replaceAll(/[^\dTZ]/g, ''));
  return `${applicationId}-activity-${from}-${to}.ndjson`;
}
