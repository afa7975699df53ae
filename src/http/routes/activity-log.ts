// The routes of the activity log: the export as a file with one entry per line, and what people look at.

import { Readable } from 'node:stream';
import { contentDisposition } from '../../domain/attachments/filenames.ts';
import { isoTime } from '../../domain/dates/iso-time.ts';
import { checkPeriod, exportEntries, requireActivityLog } from '../../operations/activity/activity-log.ts';
import { activityByDay, newestEntries } from '../../operations/activity/newest-entries.ts';
import { ActivityEntry, ActivityFigure } from '../../wire/activity-log.ts';
import { LINES_TYPE, replyJson, replyText } from '../replies/reply.ts';
import { lines, list, withHeaders } from '../replies/success.ts';
import {
  FILTER_PARAMETERS,
  OPEN_PERIOD_PARAMETERS,
  PERIOD_PARAMETERS,
  readEntryFilter,
  readLogPeriod,
  readOpenPeriod,
} from '../requests/activity-parameters.ts';
import {
  nextLink,
  readSearchParameters,
  readWalkLimit,
  readWalkPosition,
  SEARCH_PARAMETERS,
  WALK_PARAMETERS,
} from '../requests/list-parameters.ts';
import { type UserRoute, userRoute } from './row.ts';

const LOG = '/v1/:applicationId/management/userActivityLogs';

const ENTRY_PARAMETERS = {
  ...OPEN_PERIOD_PARAMETERS,
  ...FILTER_PARAMETERS,
  ...WALK_PARAMETERS,
};
const ENTRY_HEADERS = {
  Link: 'The address of the next page, if older entries have not been looked at. A page may have few entries or none, and a next one.',
  'Cartulary-Reached': 'The time up to which everything was looked at, if there is a next page.',
};
const FIGURE_PARAMETERS = {
  ...PERIOD_PARAMETERS,
  timezone: { ...SEARCH_PARAMETERS.timezone, sentence: "The time zone of the days; the application's by default." },
  ...FILTER_PARAMETERS,
};

export const ACTIVITY_LOG_ROUTES: readonly UserRoute[] = [
  userRoute({
    method: 'GET',
    path: LOG,
    permission: 'organization',
    group: 'management-read',
    parameters: PERIOD_PARAMETERS,
    operation: 'exportActivityLog',
    sentence: 'The entries of the activity log of a period, as a file with one entry a line.',
    success: [lines(ActivityEntry, 'The entries, oldest first.')],
    run: async (context, { query }) => {
      requireActivityLog(context);
      const period = readLogPeriod(query);
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
  userRoute({
    method: 'GET',
    path: `${LOG}/entries`,
    permission: 'organization',
    group: 'management-read',
    parameters: ENTRY_PARAMETERS,
    exposes: ['Cartulary-Reached'],
    operation: 'listActivity',
    sentence: 'Lists entries of the activity log, newest first, page by page.',
    success: [withHeaders(list(ActivityEntry, 'A page of entries.'), ENTRY_HEADERS)],
    run: async (context, { query, address }) => {
      const input = { ...readOpenPeriod(query), after: readWalkPosition(query), filter: readEntryFilter(query) };
      const { entries, next } = await newestEntries(context, { ...input, limit: readWalkLimit(query) });
      const link = next && nextLink(address(), query, next.position, ENTRY_PARAMETERS);
      const headers = link === undefined ? {} : { link, 'cartulary-reached': isoTime(next?.reached ?? 0) };
      return replyText(`[${entries.join(',')}]`, headers);
    },
  }),
  userRoute({
    method: 'GET',
    path: `${LOG}/figures`,
    permission: 'organization',
    group: 'management-read',
    parameters: FIGURE_PARAMETERS,
    operation: 'getActivityFigures',
    sentence: 'How often what was done on each day of a period.',
    success: [list(ActivityFigure, 'By day, type and subtype; what was not done is left out.')],
    run: async (context, { query }) => {
      const { timezone } = readSearchParameters(query);
      const input = { ...readLogPeriod(query), filter: readEntryFilter(query), timezone };
      return replyJson(await activityByDay(context, input));
    },
  }),
];

/** Without characters that a file system may refuse: `p…-activity-20260101T000000000Z-20260131T000000000Z.ndjson`. */
function fileName(applicationId: string, { start, end }: { start: number; end: number }): string {
  const [from, to] = [start, end].map((time) => new Date(time).toISOString().replaceAll(/[^\dTZ]/g, ''));
  return `${applicationId}-activity-${from}-${to}.ndjson`;
}
