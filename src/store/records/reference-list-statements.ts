// Pages in the order of a Reference column, that is of the referred values as the caller sees them now. No index of the
// collection has that order. The index of the referred column is followed instead, and for each referred record the
// records that refer to it. Records whose reference does not resolve have no value: they come first, or last.

import type { PreparedApplication } from '../../domain/definition/application.ts';
import { type Caller, readScope } from '../../domain/people/access.ts';
import type { Position } from '../../domain/records/list-order.ts';
import { cutText, type Projection } from '../../domain/records/projections.ts';
import { Params } from '../database/params.ts';
import type { Statement } from '../database/statements.ts';
import { LISTED, type PageQuery } from './list-statements.ts';
import { wholeText } from './search-leaves.ts';
import { sqlType, tableOf } from './tables.ts';

/** Fragments of SQL that all parts of the statement use. */
interface StatementParts {
  readonly params: Params;
  /** The listed table, as `t`, and the conditions on its records. */
  readonly table: string;
  readonly listed: string;
  /** The referred table, as `r`; which of its records the caller sees; and the column of `t` that refers to it. */
  readonly target: string;
  readonly visible: string;
  readonly pointer: string;
  readonly projection: Projection;
  /** Orders long texts that are equal up to their cut; a constant for other values. */
  readonly whole: string;
  readonly descending: boolean;
  /** The most rows that the page needs of one part. */
  readonly rowsMax: number;
}

export function pageByReference(query: PageQuery, application: PreparedApplication, caller: Caller): Statement {
  const { after, skip, limit } = query;
  const statement = statementParts(query, application, caller);
  const { descending, params } = statement;
  const beyond = descending ? '<' : '>';
  const resolved = (position?: Position) => resolvedPart(statement, position);
  const unresolved = (position?: Position) =>
    unresolvedPart(statement, position === undefined ? '' : ` and t.id ${beyond} ${params.text(position.id)}`);
  const parts = () => {
    if (after === undefined) return descending ? [resolved(), unresolved()] : [unresolved(), resolved()];
    if (after.value === null) return descending ? [unresolved(after)] : [unresolved(after), resolved()];
    return descending ? [resolved(after), unresolved()] : [resolved(after)];
  };
  return { text: concatenated(parts(), statement, { skip, limit }), params: params.values };
}

function statementParts(query: PageQuery, application: PreparedApplication, caller: Caller): StatementParts {
  const { order, schema, collection, skip, limit } = query;
  const scheme = order.column !== undefined && 'scheme' in order.column ? order.column.scheme : undefined;
  if (scheme === undefined || !('collectionId' in scheme)) throw new Error('this order is not that of a reference');
  const referred = application.collections.get(scheme.collectionId);
  const projection = referred?.projections.byColumn.get(scheme.columnId)?.value;
  const pointer = collection.projections.byColumn.get(order.column?.id ?? '')?.recordId;
  if (referred === undefined || projection === undefined || pointer === undefined) {
    throw new Error(`the column ${order.column?.id} cannot be followed`);
  }
  const params = new Params();
  const listed = [
    ...(query.scope === undefined ? [] : [`t.created_by = ${params.text(query.scope)}`]),
    ...(query.where === undefined ? [] : [query.where(params)]),
  ];
  const scope = readScope(referred.definition, caller);
  const value = `r.${projection.name}`;
  return {
    params,
    table: `${tableOf(schema, collection.definition.id)} t`,
    listed: listed.map((condition) => ` and ${condition}`).join(''),
    target: `${tableOf(schema, scheme.collectionId)} r`,
    visible: `${value} is not null${scope === undefined ? '' : ` and r.created_by = ${params.text(scope)}`}`,
    pointer: `t.${pointer.name}`,
    projection,
    whole:
      projection.cut === undefined
        ? "''::text"
        : `coalesce(case when octet_length(${value}) >= ${projection.cut} then ${wholeText('r', scheme.columnId)} end, '')`,
    descending: order.descending,
    rowsMax: skip + limit,
  };
}

/** A part of the list: a query for `id` and the sort keys `k0` and `k1`, with the given limit. */
type Part = (limit: string) => string;

/** For each referred record, reads no more records than the page can need, however many refer to it. */
function resolvedPart(statement: StatementParts, after: Position | undefined): Part {
  const { table, listed, target, visible, pointer, projection, whole, descending, rowsMax } = statement;
  const value = `r.${projection.name}`;
  const direction = descending ? 'desc' : 'asc';
  const { start, rest } = after === undefined ? { start: '', rest: '' } : seek(statement, after);
  return (limit) => `select x.id, ${value} as k0, ${whole} as k1 from ${target} cross join lateral (
      select t.id from ${table} where ${pointer} = r.id${rest}${listed} order by t.id ${direction} limit ${rowsMax}) x
    where ${visible}${start}
    order by ${value} ${direction} nulls ${descending ? 'last' : 'first'}, k1 ${direction}, x.id ${direction} limit ${limit}`;
}

/** `start`: where the referred records begin. `rest`: skips the records of the first that lie before the position. */
function seek({ params, projection, whole, descending }: StatementParts, { value, id }: Position) {
  const beyond = descending ? '<' : '>';
  const text = typeof value === 'string' && projection.cut !== undefined ? cutText(value, projection.cut) : undefined;
  const isLong = text !== undefined && Buffer.byteLength(text) >= (projection.cut ?? 0);
  const from = params.add(text ?? value, sqlType(projection));
  const position = `(${from}, ${params.text(isLong ? String(value) : '')})`;
  const key = `(r.${projection.name}, ${whole})`;
  return {
    // The first comparison repeats the second for the column alone, so that its index is entered there.
    start: ` and r.${projection.name} ${beyond}= ${from} and ${key} ${beyond}= ${position}`,
    rest: ` and (${key} <> ${position} or t.id ${beyond} ${params.text(id)})`,
  };
}

function unresolvedPart(
  { table, listed, target, visible, pointer, projection, descending }: StatementParts,
  rest: string,
): Part {
  const nothing = `null::${sqlType(projection)}${projection.kind === 'text' ? ' collate "C"' : ''}`;
  return (limit) => `select t.id, ${nothing} as k0, ''::text as k1 from ${table}
    where not exists (select from ${target} where r.id = ${pointer} and ${visible})${rest}${listed}
    order by t.id ${descending ? 'desc' : 'asc'} limit ${limit}`;
}

/** One part after the other; the second only fills up the rows that the first leaves. */
function concatenated(
  parts: readonly Part[],
  { table, descending, rowsMax }: StatementParts,
  { skip, limit }: { skip: number; limit: number },
): string {
  const direction = descending ? 'desc' : 'asc';
  const [first, second] = parts;
  const one = `one as materialized (${first?.(String(rowsMax))})`;
  const two = second && `, two as materialized (${second(`(select ${rowsMax} - count(*) from one)`)})`;
  const rows = `select 1 as part, * from one${two === undefined ? '' : ' union all select 2, * from two'}`;
  // Records without a value are a part of their own, so the order of nulls does not matter.
  const by = (alias: string) =>
    `${alias}.part, ${alias}.k0 ${direction}, ${alias}.k1 collate "C" ${direction}, ${alias}.id ${direction}`;
  return `with ${one}${two ?? ''}
    select ${LISTED} from (select * from (${rows}) a order by ${by('a')} limit ${limit} offset ${skip}) p
      join ${table} on t.id = p.id order by ${by('p')}`;
}
