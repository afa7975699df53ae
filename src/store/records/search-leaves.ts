// The leaves of a search by type: the comparison of one value with the search term, in SQL. A value is a projected column
// of its own type, or JSON inside an Object or Array, where times are texts that compare in the same order.

import { cutText, degrees, type Projection } from '../../domain/records/projections.ts';
import type { Condition } from '../../domain/search/condition.ts';
import { uniqueKey } from '../../domain/values/value-types.ts';
import type { SimpleTypeName } from '../../wire/values.ts';
import type { Params } from '../database/params.ts';
import type { Operand } from './search-places.ts';

type LeafOf<Kind extends Condition['kind']> = Extract<Condition, { kind: Kind }>;

interface LeafContext {
  readonly alias: string;
  readonly params: Params;
}

const column = (alias: string, projection: Projection | undefined): string => {
  if (projection === undefined) throw new Error('a searched column is not projected');
  return `${alias}.${projection.name}`;
};

/** Texts as they are, and the names of Users and Attachments. */
const jsonText = (sql: string): string =>
  `(case jsonb_typeof(${sql}) when 'object' then ${sql} ->> 'name' else ${sql} #>> '{}' end) collate "C"`;

export function textSql(operand: Operand, { operator, value }: LeafOf<'text'>, { alias, params }: LeafContext): string {
  if (operand.kind === 'json') return `${jsonText(operand.sql)} ${operator} ${params.text(value)}`;
  const { column: definition, key, value: projection } = operand.projections;
  if (operator === '=' && key !== undefined && definition.type === 'String') {
    return `${column(alias, key)} = ${params.text(uniqueKey({ type: 'String', value }))}`;
  }
  const stored = column(alias, projection);
  const cut = projection?.cut;
  const beginning = cut === undefined ? value : cutText(value, cut);
  // A term shorter than the cut compares with the beginning of a text as with the whole.
  if (cut === undefined || cutText(value, cut - 1) === value) return `${stored} ${operator} ${params.text(value)}`;
  const start = params.text(beginning);
  const whole = `${wholeText(alias, definition.id)} ${operator} ${params.text(value)}`;
  if (operator === '=') return `(${stored} = ${start} and ${whole})`;
  const strict = operator.startsWith('<') ? '<' : '>';
  return `(${stored} ${strict} ${start} or (${stored} = ${start} and ${whole}))`;
}

/** The text of a String column, read from the record itself. */
export const wholeText = (alias: string, columnId: string): string =>
  `(${alias}.rec::json -> 'values' -> '${columnId}' ->> 'value') collate "C"`;

export function nameSql(
  operand: Operand,
  { name, id }: LeafOf<'user'>,
  { alias, params, schema }: LeafContext & { schema: string },
): string {
  const tests: string[] = [];
  if (operand.kind === 'json') {
    if (name !== undefined) tests.push(`${operand.sql} ->> 'name' = ${params.text(name)}`);
    if (id !== undefined) tests.push(`${operand.sql} ->> 'id' = ${params.text(id)}`);
    return `(${tests.join(' or ')})`;
  }
  const { value, userId } = operand.projections;
  const names = column(alias, value);
  if (name !== undefined) tests.push(`${names} = ${params.text(name)}`);
  if (id !== undefined) {
    const sought = params.text(id);
    // Names never change, so the index on them finds users by their identifier too.
    tests.push(
      `(${column(alias, userId)} = ${sought}
        and ${names} = any (array(select u.name from ${schema}.users u where u.id = ${sought})))`,
    );
  }
  return `(${tests.join(' or ')})`;
}

export function numberSql(
  operand: Operand,
  { kind, operator, value }: LeafOf<'number'> | LeafOf<'boolean'>,
  { alias, params }: LeafContext,
): string {
  const type = kind === 'number' ? 'float8' : 'boolean';
  const stored =
    operand.kind === 'json' ? `(${operand.sql} #>> '{}')::${type}` : column(alias, operand.projections.value);
  return `${stored} ${operator} ${params.add(value, type)}`;
}

const RANGE_TYPES: Partial<Record<SimpleTypeName | 'Object', string>> = {
  DateTime: 'timestamptz',
  Date: 'date',
  Time: 'time',
};

export function rangeSql(
  operand: Operand,
  { from, before }: LeafOf<'range'>,
  { alias, params, type }: LeafContext & { type: SimpleTypeName | 'Object' },
): string {
  const inJson = operand.kind === 'json';
  const stored = inJson ? `(${operand.sql} #>> '{}') collate "C"` : column(alias, operand.projections.value);
  const sqlType = inJson ? 'text' : (RANGE_TYPES[type] ?? 'text');
  const tests = from === undefined ? [] : [`${stored} >= ${params.add(from, sqlType)}`];
  if (before !== undefined) tests.push(`${stored} < ${params.add(before, sqlType)}`);
  return tests.length === 0 ? `${stored} is not null` : `(${tests.join(' and ')})`;
}

/** Mean radius of the earth (IUGG), in metres. */
const EARTH_RADIUS = 6_371_008.8;
const METRES_PER_DEGREE = (EARTH_RADIUS * Math.PI) / 180;

/** On a sphere, by the haversine formula. The index on the latitude narrows the records down to a belt. */
export function withinDistance(
  operand: Operand,
  { latitude, longitude, metres }: LeafOf<'near'>,
  { alias, params }: LeafContext,
): string {
  const member = (name: string) => (operand.kind === 'json' ? `(${operand.sql} ->> '${name}')::float8` : '');
  const lat = operand.kind === 'json' ? member('latitude') : column(alias, operand.projections.latitude);
  const lng = operand.kind === 'json' ? member('longitude') : column(alias, operand.projections.longitude);
  const [lat0, lng0, distance] = [degrees(latitude), degrees(longitude), metres].map((number) =>
    params.add(number, 'float8'),
  );
  // Slightly wider than the circle, so that rounding excludes no record.
  const reach = (metres / METRES_PER_DEGREE) * (1 + 1e-9) + 1e-9;
  const [south, north] = [latitude - reach, latitude + reach].map((number) => params.add(number, 'float8'));
  const half = (angle: string) => `power(sin(radians(${angle}) / 2), 2)`;
  const haversine = `${half(`${lat} - ${lat0}`)} + cos(radians(${lat0})) * cos(radians(${lat})) * ${half(`${lng} - ${lng0}`)}`;
  return `(${lat} between ${south} and ${north}
    and 2 * ${EARTH_RADIUS} * asin(least(1, sqrt(${haversine}))) <= ${distance})`;
}
