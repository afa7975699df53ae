// Figures over the records of a collection: one statement, and so one consistent snapshot, planned for its own parameters and run
// like a search (store/database/handles, longQuery). It reads every record that matches; only the request's deadline bounds that.

import type { Grouping, Measure, Total } from '../../domain/records/figures.ts';
import { GROUPS_MAX } from '../../wire/figures.ts';
import type { UserShort } from '../../wire/users.ts';
import { isRefusedParameter, unknownZone } from '../database/database-errors.ts';
import type { Writer } from '../database/handles.ts';
import { Params } from '../database/params.ts';
import type { Row, Statement } from '../database/statements.ts';
import { isCurrent } from './fence.ts';
import { type Groups, groupsOf } from './figure-groups.ts';
import { fenceChecked } from './list-plans.ts';
import { numberText } from './record-values.ts';
import type { Table } from './records.ts';
import type { Where } from './search.ts';
import { tableOf } from './tables.ts';

export interface FiguresQuery {
  readonly table: Table;
  /** The search in SQL; undefined if every record matches. */
  readonly where: Where | undefined;
  /** Only records of this creator count. */
  readonly scope: string | undefined;
  readonly grouping: Grouping | undefined;
  readonly measures: readonly Measure[];
  /** Of the days, weeks, months and years of times. */
  readonly zone: string;
}

export interface FigureRow {
  /** For dates the number of the first day (domain/dates/days); null without a value, or without a grouping. */
  readonly group: string | number | boolean | UserShort | null;
  /** In the order of the measures. */
  readonly measured: readonly (number | Total | null)[];
}

/** In the order of the groups. `more`: there are further groups, of fewer records. */
export async function readFigures(
  store: Writer,
  query: FiguresQuery,
): Promise<{ readonly rows: readonly FigureRow[]; readonly more: boolean }> {
  const groups = query.grouping === undefined ? undefined : groupsOf(query.grouping, query);
  const statement = groups === undefined ? totalStatement(query) : groupedStatement(query, groups);
  const read = async () => (await store.longQuery(statement))[0] ?? [];
  const rows = await fenceChecked({ reader: store, store }, query.table, read).catch((error: unknown) => {
    throw isRefusedParameter(error) ? unknownZone() : error;
  });
  if (groups === undefined) return { rows: [totalRow(query.measures, rows[0])], more: false };
  const kept = rows.filter(([place, fits]) => (place as number) <= GROUPS_MAX && fits === true);
  return {
    rows: kept.map((row) => ({
      group: groups.read(row[2], row[3]),
      measured: row.slice(FIXED_COLUMNS).map((value) => readMeasured(value)),
    })),
    more: kept.length < rows.length,
  };
}

/** Place, whether its text fits, value and addition of a group. */
const FIXED_COLUMNS = 4;

/** No record at all gives no row, so that the fence is checked as for a page without records. */
function totalStatement(query: FiguresQuery): Statement {
  const params = new Params();
  const measures = query.measures.map((measure) => measureSql(measure, query));
  return {
    text: `select ${measures.join(', ')} from ${sourceOf(query, params)} having count(*) > 0`,
    params: params.values,
  };
}

function totalRow(measures: readonly Measure[], row: Row | undefined): FigureRow {
  const none = measures.map(({ kind }) => (kind === 'count' ? 0 : null));
  return { group: null, measured: row === undefined ? none : row.map((value) => readMeasured(value)) };
}

/**
 * The groups with the most records, one more than is kept, and those in their order. Of equal counts the first groups in the
 * order are kept, as far as the projection decides it.
 */
function groupedStatement(query: FiguresQuery, groups: Groups): Statement {
  const params = new Params();
  const measures = query.measures.map((measure, index) => `${measureSql(measure, query)} as m${index}`);
  const columns = groups.columns(params);
  const table = tableOf(query.table.schema, query.table.collection.definition.id);
  const first = `n desc, ${groups.order.map((key) => `${key} nulls first`).join(', ')}`;
  const largest = `select ${columns.join(', ')}, count(*) as n${measures.map((sql) => `, ${sql}`).join('')}
      from ${sourceOf(query, params)} group by ${groups.keys.join(', ')} order by ${first} limit ${GROUPS_MAX + 1}`;
  const placed = `select g.*, row_number() over (order by ${first}) as place${groups.running(first)} from (${largest}) g`;
  const shown = query.measures.map((_, index) => `, p.m${index}`).join('');
  return {
    text: `select p.place::int, ${groups.fits}, p.value, ${groups.addition(table)} as addition${shown}
      from (${placed}) p order by ${groups.shownOrder.join(', ')}`,
    params: params.values,
  };
}

/** SQL: the table with the alias `t`, with `m` for measured columns that are not projected, and which of its records count. */
function sourceOf({ table, where, scope, measures }: FiguresQuery, params: Params): string {
  const { schema, collection, generation } = table;
  const conditions = [
    ...(scope === undefined ? [] : [`t.created_by = ${params.text(scope)}`]),
    ...(where === undefined ? [] : [where(params)]),
    isCurrent(schema, generation, params),
  ];
  const read = new Set(measures.flatMap((measure) => (measure.kind === 'count' ? [] : measure.columnId)));
  const texts = [...read]
    .filter((columnId) => projectedNumber(table, columnId) === undefined)
    .map((columnId) => `${numberText(collection, columnId)} as ${columnId}`);
  // Not merged with what surrounds it, so that a column with several measures is read once.
  const lateral = texts.length === 0 ? '' : ` cross join lateral (select ${texts.join(', ')} offset 0) m`;
  return `${tableOf(schema, collection.definition.id)} t${lateral} where ${conditions.join(' and ')}`;
}

const projectedNumber = ({ collection }: Table, columnId: string): string | undefined =>
  collection.projections.byColumn.get(columnId)?.value?.name;

/**
 * SQL: a count, minimum or maximum as a number, a sum or average as `sum/count`. Numbers are added as the decimals that JSON
 * shows, which is exact in any order and cannot overflow. Added as float8, which depends on the order of the records, they take
 * 0.5 µs each; so they take 1.1; cast to numeric without the text, which keeps 15 digits only, 1.9.
 */
function measureSql(measure: Measure, { table }: FiguresQuery): string {
  if (measure.kind === 'count') return 'count(*)::float8';
  const { kind, columnId } = measure;
  const projected = projectedNumber(table, columnId);
  const number = projected === undefined ? `m.${columnId}::float8` : `t.${projected}`;
  const decimal = projected === undefined ? `m.${columnId}::numeric` : `t.${projected}::text::numeric`;
  switch (kind) {
    case 'minimum':
      return `min(${number})`;
    case 'maximum':
      return `max(${number})`;
    default:
      return `sum(${decimal}) || '/' || count(${number})`;
  }
}

function readMeasured(value: unknown): number | Total | null {
  if (typeof value !== 'string') return value as number | null;
  const [sum = '', count = ''] = value.split('/');
  return { sum, count: Number(count) };
}
