// Parses the query parameters of the activity log: its period, what narrows it down, and where a page begins.

import type { EntryFilter } from '../../domain/activity/entry-filter.ts';
import { fault } from '../../faults.ts';
import { type IdentifierName, isIdentifier, PATTERNS } from '../../wire/identifiers.ts';
import type { Parameters, Query } from './query.ts';

const DATE = { type: 'string', examples: ['2026-01-31T00:00:00.000Z'] };

export const PERIOD_PARAMETERS = {
  startDate: { schema: DATE, sentence: 'Where the period begins.', required: true },
  endDate: {
    schema: DATE,
    sentence: 'Where it ends, at most 90 days later; this moment itself is not part of it.',
    required: true,
  },
} as const satisfies Parameters;

/** Either end may be left out. */
export const OPEN_PERIOD_PARAMETERS = {
  startDate: { schema: DATE, sentence: 'Where the period begins; the oldest entry without it.' },
  endDate: { schema: DATE, sentence: 'The first moment after the period; the present without it.' },
} as const satisfies Parameters;

export const FILTER_PARAMETERS = {
  userId: { schema: { type: 'string' }, sentence: 'Who did it: the ID of a user, or `operator`.' },
  kind: {
    schema: { type: 'string', examples: ['record', 'record.delete'] },
    sentence: 'What was done: a `type`, or with its `subType` after a dot.',
  },
  collectionId: { schema: { type: 'string', pattern: PATTERNS.collectionId }, sentence: 'In which collection.' },
  recordId: { schema: { type: 'string', pattern: PATTERNS.recordId }, sentence: 'To which record.' },
  thumbnails: {
    schema: { type: 'boolean', default: true },
    sentence: 'With `false`, without entries of thumbnails that were sent.',
  },
} as const satisfies Parameters;

const invalid = (parameter: string, reason: string) => fault('INVALID_PARAMETER', { parameter, reason });

/** Milliseconds since 1970. Dates that do not exist are refused: Date.parse would turn February 30 into March 2. */
function readDate(query: Query, parameter: keyof typeof PERIOD_PARAMETERS): number | undefined {
  const text = query[parameter];
  if (text === undefined) return undefined;
  const milliseconds = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(milliseconds) && new Date(milliseconds).toISOString() === text) return milliseconds;
  throw invalid(parameter, 'must be a date such as 2026-01-31T00:00:00.000Z');
}

function readRequiredDate(query: Query, parameter: keyof typeof PERIOD_PARAMETERS): number {
  const date = readDate(query, parameter);
  if (date === undefined) throw invalid(parameter, 'is missing');
  return date;
}

export const readLogPeriod = (query: Query) => ({
  start: readRequiredDate(query, 'startDate'),
  end: readRequiredDate(query, 'endDate'),
});

export const readOpenPeriod = (query: Query) => ({
  start: readDate(query, 'startDate'),
  end: readDate(query, 'endDate'),
});

const KIND = /^([A-Za-z]{1,32})(?:\.([A-Za-z]{1,32}))?$/;
const OPERATOR = 'operator';

export function readEntryFilter(query: Query): EntryFilter {
  const { kind, userId } = query;
  const [, type, subType] = KIND.exec(kind ?? '') ?? [];
  if (kind !== undefined && type === undefined) throw invalid('kind', 'must be a type, or a type, a dot and a subType');
  return {
    userId: userId === OPERATOR ? userId : readIdentifier(query, 'userId'),
    type,
    subType,
    collectionId: readIdentifier(query, 'collectionId'),
    recordId: readIdentifier(query, 'recordId'),
    thumbnails: readThumbnails(query),
  };
}

function readThumbnails({ thumbnails }: Query): boolean {
  if (thumbnails === undefined || thumbnails === 'true') return true;
  if (thumbnails === 'false') return false;
  throw invalid('thumbnails', 'must be true or false');
}

function readIdentifier(query: Query, parameter: IdentifierName): string | undefined {
  const text = query[parameter];
  if (text === undefined || isIdentifier(parameter, text)) return text;
  throw invalid(parameter, `must have the form ${PATTERNS[parameter]}`);
}
