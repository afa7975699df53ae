// Figures over the records that a search finds: counts, sums, averages, minima and maxima, for all of them or for each
// group. The statement itself excludes records that the caller may not read, so no figure tells of them.

import type { Context } from '../../context.ts';
import { writeUnit } from '../../domain/dates/units.ts';
import { readScope } from '../../domain/people/access.ts';
import {
  averageOf,
  type GroupBy,
  type Grouping,
  groupingOf,
  type Measure,
  nameOfMeasure,
  nearestNumber,
} from '../../domain/records/figures.ts';
import { fault } from '../../faults.ts';
import type { Steps } from '../../load/slices.ts';
import { type FigureRow, readFigures } from '../../store/records/figures.ts';
import type { RecordFigure } from '../../wire/figures.ts';
import { type InCollection, inCollection } from '../in-collection.ts';
import { type SearchInput, searchOf, whereOf } from './lists.ts';

/** Such rows take a tenth of a millisecond, unless their numbers are long. */
const ROWS_PER_STEP = 10;

export interface FiguresInput extends SearchInput {
  readonly collectionId: string;
  readonly groupBy: GroupBy | undefined;
  readonly measures: readonly Measure[];
}

export interface Figures {
  readonly figures: readonly RecordFigure[];
  /** There are more groups, with fewer records. */
  readonly more: boolean;
}

export async function getFigures(context: Context, input: FiguresInput): Promise<Figures> {
  const at = inCollection(context, input.collectionId);
  const grouping = readGrouping(at, input.groupBy);
  const { measures } = input;
  checkMeasures(at, measures);
  const { rows, more } = await readFigures(at.store, {
    ...{ table: at.table, grouping, measures },
    where: await whereOf(at, await searchOf(at, input)),
    scope: readScope(at.collection.definition, at.caller),
    zone: input.timezone ?? at.application.definition.timeZone,
  });
  return { figures: await at.slices.run(at.scope, figuresInSteps(rows, grouping, measures)), more };
}

/** A thousand groups with twenty averages of the longest numbers take most of a second. */
function* figuresInSteps(
  rows: readonly FigureRow[],
  grouping: Grouping | undefined,
  measures: readonly Measure[],
): Steps<RecordFigure[]> {
  const figures: RecordFigure[] = [];
  for (const row of rows) {
    figures.push(figureOf(row, grouping, measures));
    if (figures.length % ROWS_PER_STEP === 0) yield;
  }
  return figures;
}

const invalid = (parameter: string, reason: string) => fault('INVALID_PARAMETER', { parameter, reason });

function readGrouping({ collection }: InCollection, groupBy: GroupBy | undefined): Grouping | undefined {
  if (groupBy === undefined) return undefined;
  const grouping = groupingOf(collection.columns, groupBy);
  if ('problem' in grouping) throw invalid('groupBy', grouping.problem);
  return grouping;
}

function checkMeasures({ collection }: InCollection, measures: readonly Measure[]): void {
  for (const measure of measures) {
    if (measure.kind === 'count') continue;
    const { columnId } = measure;
    const column = collection.columns.get(columnId);
    if (column === undefined) throw invalid('measure', `the collection has no column ${columnId}`);
    if (column.type !== 'Number') {
      throw invalid('measure', `the column ${columnId} is of type ${column.type}, not Number`);
    }
  }
}

function figureOf(
  { group, measured }: FigureRow,
  grouping: Grouping | undefined,
  measures: readonly Measure[],
): RecordFigure {
  const figure: RecordFigure = grouping === undefined ? {} : { group: writeGroup(grouping, group) };
  for (const [index, measure] of measures.entries()) {
    figure[nameOfMeasure(measure)] = numberOf(measure, measured[index] ?? null);
  }
  return figure;
}

const writeGroup = (grouping: Grouping, group: FigureRow['group']): FigureRow['group'] =>
  grouping.kind === 'date' && typeof group === 'number' ? writeUnit(grouping.unit, group) : group;

function numberOf({ kind }: Measure, measured: FigureRow['measured'][number]): number | null {
  if (measured === null || typeof measured === 'number') return measured;
  return kind === 'average' ? averageOf(measured) : nearestNumber(measured.sum);
}
