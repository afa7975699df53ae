// The statements that list a collection in order. A page is one statement, and so one consistent snapshot. Every order has
// an index that ends in the identifier (store/records/tables); a page is read off it, from the start or from a position.

import type { PreparedCollection } from '../../domain/definition/application.ts';
import type { ListOrder, Position } from '../../domain/records/list-order.ts';
import { cutText, type Projected, type Projection } from '../../domain/records/projections.ts';
import { Params } from '../database/params.ts';
import type { Statement } from '../database/statements.ts';
import { LONG_AMONG_OTHERS_BYTES, shortText } from './long-records.ts';
import { wholeText } from './search-leaves.ts';
import { METADATA_COLUMNS, sqlType, tableOf } from './tables.ts';

export interface PageQuery {
  readonly schema: string;
  readonly collection: PreparedCollection;
  readonly order: ListOrder;
  /** Only records of this creator are listed. */
  readonly scope: string | undefined;
  /** The search condition, in SQL, on the table with the alias `t`. */
  readonly where?: ((params: Params) => string) | undefined;
  readonly after?: Position | undefined;
  readonly skip: number;
  readonly limit: number;
}

/** What a list is ordered by before the identifier. */
interface Key {
  readonly column: string;
  readonly type: string;
  readonly nullable: boolean;
  /** SQL for the whole text, where the projection is cut. */
  readonly whole?: string;
  readonly projection?: Projection;
}

function keyOf({ collection, order }: PageQuery): Key {
  if (order.key !== 'column') {
    const { name, type } = METADATA_COLUMNS[order.key];
    return { column: name, type, nullable: false };
  }
  const projection = collection.projections.byColumn.get(order.column.id)?.value;
  if (projection === undefined) throw new Error(`the column ${order.column.id} has no order of its own`);
  const key = { column: projection.name, type: sqlType(projection), nullable: true, projection };
  return projection.cut === undefined ? key : { ...key, whole: wholeText('t', order.column.id) };
}

/** Whether a text may continue after its cut. Compared in bytes, which are at least as many as the code points. */
const mayBeCut = (key: Key): string => `octet_length(t.${key.column}) >= ${key.projection?.cut ?? 0}`;

/**
 * How the records of a page are found.
 * - `plain`: the planner decides.
 * - `walk`: along the order, for a bounded number of records of its first range. A full page found there is the page.
 * - `collect`: all matches first, by any plan, which are then sorted.
 * - `few`: as `collect`, up to MATCHES_MAX, for terms known to be rare (store/records/rare-terms). It is planned once for all
 *   terms: 60 µs of processor time for seven matches, against 400 when it is planned for its term.
 * `walk` and `collect` are for searches whose number of matches the planner cannot estimate. It then expects many and walks along
 * the order: with 20 hits among 1,000,000 records that took 17 s, against 1 s for reading every record.
 */
export type PageForm = 'plain' | 'walk' | 'collect' | 'few';

const WALKED_MIN = 2_000;
/** If there are more, a page of the form `few` is not the page. */
export const MATCHES_MAX = 500;

export interface PageOptions {
  readonly form: PageForm;
  /** Also orders long texts that are equal up to their cut, by reading them from the records. */
  readonly exact: boolean;
}

/** SQL: the text of a listed record, or the size of a long one. */
export const LISTED = `${shortText('t.', LONG_AMONG_OTHERS_BYTES)} as rec`;

/**
 * Each row begins with the record. Unless `exact`, a second column is true if the row's text may continue after its cut. With
 * the form `few`, the third is the number of matches.
 */
export function pageOf(query: PageQuery, { form, exact }: PageOptions): Statement {
  const key = keyOf(query);
  const params = new Params({ hidesPatterns: form === 'few' });
  const { order, skip, limit, after } = query;
  const whole = exact && key.whole !== undefined ? `case when ${mayBeCut(key)} then ${key.whole} end` : undefined;
  const keys = [`t.${key.column}`, ...(whole === undefined ? [] : [whole]), 't.id'];
  const nulls = key.nullable ? (order.descending ? ' nulls last' : ' nulls first') : '';
  const ordered = (by: readonly string[]) =>
    `order by ${by.map((k, index) => `${k} ${order.descending ? 'desc' : 'asc'}${index === 0 ? nulls : ''}`).join(', ')}`;
  const table = tableOf(query.schema, query.collection.definition.id);
  // The index on the creator would serve `=`. Planned for any creator, it might be taken for one with most of the records.
  const equal = form === 'few' ? 'is not distinct from' : '=';
  const scope = query.scope === undefined ? [] : [`t.created_by ${equal} ${params.text(query.scope)}`];
  const where = query.where === undefined ? [] : [query.where(params)];
  const flag = !exact && key.whole !== undefined ? `, case when ${mayBeCut(key)} then true end as cut` : '';
  const all = (conditions: readonly string[]) => (conditions.length > 0 ? ` where ${conditions.join(' and ')}` : '');
  const select = (columns: string, range: readonly string[], bounds: string) => {
    const rest = `${ordered(keys)} ${bounds}`;
    if (form !== 'walk') return `select ${columns} from ${table} t${all([...scope, ...range, ...where])} ${rest}`;
    const walked = `select * from ${table} t${all([...scope, ...range])} ${ordered(keys)} limit ${WALKED_MIN + 2 * (skip + limit)}`;
    return `select ${columns} from (${walked}) t${all(where)} ${rest}`;
  };
  const page = (text: string): Statement => ({ text, params: params.values });
  const allRanges = after === undefined ? [[]] : seek(key, after, { order, params, whole, scope: query.scope });
  const ranges = form === 'walk' ? allRanges.slice(0, 1) : allRanges;
  if (form === 'few') {
    const hits = `select t.* from ${table} t${all([...scope, ...where, either(ranges)])} limit ${MATCHES_MAX + 1}`;
    return page(`select ${LISTED}${flag === '' ? ', null' : flag}, count(*) over ()::int
      from (${hits}) t ${ordered(keys)} limit ${limit} offset ${skip}`);
  }
  if (form !== 'collect' && skip === 0 && ranges.length === 1) {
    return page(select(`${LISTED}${flag}`, ranges[0]!, `limit ${limit}`));
  }
  const names = keys.map((_, index) => `k${index}`);
  const named = keys.map((k, index) => `${k} as ${names[index]}`).join(', ');
  if (form === 'collect') {
    const hits = `select ${named} from ${table} t${all([...scope, ...where, either(ranges)])}`;
    return page(`with hits as materialized (${hits})
      select ${LISTED}${flag} from (select * from hits ${ordered(names)} limit ${limit} offset ${skip}) p
        join ${table} t on t.id = p.${names.at(-1)} ${ordered(names)}`);
  }
  if (skip > 0) {
    // Identifiers first, from the index alone where possible, then the records of the page: 2.5 times as fast at 5,000.
    const ids = select(named, [], `limit ${limit} offset ${skip}`);
    return page(
      `select ${LISTED}${flag} from (${ids}) p join ${table} t on t.id = p.${names.at(-1)} ${ordered(names)}`,
    );
  }
  // Each part is a range of the index. They are merged; the second is barely read while the first has enough rows.
  const parts = ranges.map((range) => `(${select(`${LISTED}${flag}, ${named}`, range, `limit ${limit}`)})`);
  const columns = flag === '' ? 'p.rec' : 'p.rec, p.cut';
  return page(`select ${columns} from (${parts.join(' union all ')}) p ${ordered(names)} limit ${limit}`);
}

const either = (ranges: readonly (readonly string[])[]): string =>
  `(${ranges.map((range) => (range.length === 0 ? 'true' : `(${range.join(' and ')})`)).join(' or ')})`;

/** The index ranges after a position, each a list of conditions joined by `and`. Records without a value sort lowest. */
function seek(
  key: Key,
  { value, id }: Position,
  { order, params, whole, scope }: Pick<PageQuery, 'order' | 'scope'> & { params: Params; whole: string | undefined },
): string[][] {
  const beyond = order.descending ? '<' : '>';
  const column = `t.${key.column}`;
  const idParam = params.text(id);
  if (value === null) {
    const rest = [`${column} is null`, `t.id ${beyond} ${idParam}`];
    return order.descending ? [rest] : [rest, [`${column} is not null`]];
  }
  const from = params.add(cutValue(key, value), key.type);
  const range =
    whole !== undefined && typeof value === 'string'
      ? [
          `${column} ${beyond}= ${from}`,
          afterLong({ column, from, beyond }, { whole, text: fullKey(key, value), params, idParam }),
        ]
      : [afterPlain({ column, from, beyond }, { scope, params, idParam })];
  return order.descending && key.nullable ? [range, [`${column} is null`]] : [range];
}

interface Comparison {
  readonly column: string;
  readonly from: string;
  readonly beyond: string;
}

/**
 * If the list is limited to one creator, the comparison includes the creator. The result is the same, but without it the
 * planner expects almost no rows after a position among few values, and may walk along the records of all creators.
 */
function afterPlain(
  { column, from, beyond }: Comparison,
  { scope, params, idParam }: { scope: string | undefined; params: Params; idParam: string },
): string {
  if (scope === undefined) return `(${column}, t.id) ${beyond} (${from}, ${idParam})`;
  return `(t.created_by, ${column}, t.id) ${beyond} (${params.text(scope)}, ${from}, ${idParam})`;
}

function afterLong(
  { column, from, beyond }: Comparison,
  { whole, text, params, idParam }: { whole: string; text: string; params: Params; idParam: string },
): string {
  const rest = `(coalesce(${whole}, ''), t.id) ${beyond} (${params.text(text)}, ${idParam})`;
  return `(${column} ${beyond} ${from} or (${column} = ${from} and ${rest}))`;
}

function cutValue({ projection }: Key, value: Projected): Projected {
  return typeof value === 'string' && projection?.cut !== undefined ? cutText(value, projection.cut) : value;
}

/** The value of `whole` for a record with this text: empty if the text is shorter than the cut. */
function fullKey({ projection }: Key, value: string): string {
  return Buffer.byteLength(cutText(value, projection?.cut ?? 0)) >= (projection?.cut ?? 0) ? value : '';
}
