// Parses the query parameters of figures. Whether they fit the collection is checked by the operation.

import { UNITS, type Unit } from '../../domain/dates/units.ts';
import { AGGREGATES, type Aggregate, type GroupBy, type Measure, nameOfMeasure } from '../../domain/records/figures.ts';
import { fault } from '../../faults.ts';
import type { FiguresInput } from '../../operations/records/figures.ts';
import { MEASURES_MAX } from '../../wire/figures.ts';
import { isIdentifier, PATTERNS } from '../../wire/identifiers.ts';
import { readSearchParameters, SEARCH_PARAMETERS } from './list-parameters.ts';
import type { Parameters, Query } from './query.ts';

export const FIGURE_PARAMETERS = {
  ...SEARCH_PARAMETERS,
  timezone: {
    ...SEARCH_PARAMETERS.timezone,
    sentence:
      "The time zone of dates in the search and of days, weeks, months and years; the application's by default.",
  },
  groupBy: {
    schema: { type: 'string', examples: ['createdAt:month', 'createdBy'] },
    sentence:
      'What to group by: a column, createdAt, updatedAt, createdBy or updatedBy; times with :day, :week, :month or :year.',
  },
  measure: {
    schema: { type: 'string', default: 'count' },
    sentence:
      'What to measure, separated by commas: count, and sum:, average:, minimum: or maximum: with the ID of a Number column.',
  },
} as const satisfies Parameters;

const invalid = (parameter: string, reason: string) => fault('INVALID_PARAMETER', { parameter, reason });

export const readFigureParameters = (query: Query): Omit<FiguresInput, 'collectionId'> => ({
  ...readSearchParameters(query),
  groupBy: query.groupBy === undefined ? undefined : readGroupBy(query.groupBy),
  measures: readMeasures(query.measure ?? 'count'),
});

const METADATA: ReadonlySet<string> = new Set(['createdAt', 'updatedAt', 'createdBy', 'updatedBy']);

function readGroupBy(text: string): GroupBy {
  const [name = '', unit, ...others] = text.split(':');
  if (!METADATA.has(name) && !isIdentifier('columnId', name)) {
    throw invalid(
      'groupBy',
      `must begin with the ID of a column (${PATTERNS.columnId}) or one of ${[...METADATA].join(', ')}`,
    );
  }
  if (unit === undefined) return { name, unit };
  if (others.length > 0 || !isUnit(unit)) throw invalid('groupBy', `the unit must be one of ${UNITS.join(', ')}`);
  return { name, unit };
}

const isUnit = (text: string): text is Unit => UNITS.some((unit) => unit === text);
const isAggregate = (text: string): text is Aggregate => AGGREGATES.some((aggregate) => aggregate === text);

function readMeasures(text: string): Measure[] {
  const parts = text.split(',');
  if (parts.length > MEASURES_MAX) throw invalid('measure', `must have at most ${MEASURES_MAX} parts`);
  // One that is named twice is the same member of the reply.
  return [...new Map(parts.map(readMeasure).map((measure) => [nameOfMeasure(measure), measure])).values()];
}

function readMeasure(text: string): Measure {
  const [kind = '', columnId, ...others] = text.split(':');
  if (kind === 'count' && columnId === undefined) return { kind };
  if (isAggregate(kind) && isIdentifier('columnId', columnId) && others.length === 0) return { kind, columnId };
  throw invalid(
    'measure',
    `each part must be count, or one of ${AGGREGATES.join(', ')} with a colon and the ID of a column`,
  );
}
