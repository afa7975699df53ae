// From a condition to SQL: the compiler of the search language. Every value becomes a parameter, every name comes from
// the definition. A leaf may come out as null where there is no value; it counts as false, and `not` sees to that.

import type { PreparedApplication, PreparedCollection } from '../../domain/definition/application.ts';
import { type Caller, readScope } from '../../domain/people/access.ts';
import { SEARCHED_CUT } from '../../domain/records/projections.ts';
import type { Condition, MetadataName, Place } from '../../domain/search/condition.ts';
import { foldText } from '../../domain/search/fold.ts';
import { searchTerm } from '../../domain/search/search-text.ts';
import type { Column } from '../../wire/applications.ts';
import type { Params } from '../database/params.ts';
import { nameSql, numberSql, rangeSql, textSql, withinDistance } from './search-leaves.ts';
import { anyAt, type ColumnPlace, projectionsAt, type Source, typeAt } from './search-places.ts';
import { implied, readOnce, readTogether, sectionsContain, textsNarrowed } from './search-texts.ts';
import { METADATA_COLUMNS, tableOf } from './tables.ts';

export interface SearchSetting {
  readonly schema: string;
  readonly application: PreparedApplication;
  readonly caller: Caller;
  readonly params: Params;
}

/** The condition on the table under the alias `t`; undefined when every record fulfils it. */
export function searchCondition(
  condition: Condition,
  { collection, ...setting }: Omit<SearchSetting, 'params'> & { readonly collection: PreparedCollection },
): ((params: Params) => string) | undefined {
  if (condition.kind === 'everything') return undefined;
  return (params) => compileSearch(condition, { collection, alias: 't' }, { ...setting, params });
}

export function compileSearch(condition: Condition, source: Source, setting: SearchSetting): string {
  const { params } = setting;
  const { together, others } = readTogether(condition);
  if (together.length === 0) return compile(condition, source, setting);
  const found = textsNarrowed(together, source, params);
  const read = readOnce({ source, params }, together, (part, at) => compile(part, at, setting));
  return `(${[...others.map((part) => compile(part, source, setting)), ...found, read].join(' and ')})`;
}

function compile(condition: Condition, source: Source, setting: SearchSetting): string {
  switch (condition.kind) {
    case 'everything':
      return 'true';
    case 'nothing':
      return 'false';
    case 'and':
    case 'or':
      return `(${condition.parts.map((part) => compile(part, source, setting)).join(` ${condition.kind} `)})`;
    case 'not':
      return `(${compile(condition.part, source, setting)} is not true)`;
    case 'contains':
      return contains(condition.places, condition.term, { source, setting });
    default:
      return leaf(condition, source, setting);
  }
}

/**
 * Whether the database cannot tell how many records fulfil the condition, because it keeps no statistics of what is asked
 * for: of terms too short for the index, of what is inside of Objects and Arrays, of the names behind metadata.
 */
export function isGuess(condition: Condition): boolean {
  switch (condition.kind) {
    case 'everything':
    case 'nothing':
      return false;
    case 'and':
    case 'or':
      return condition.parts.some(isGuess);
    case 'not':
      return isGuess(condition.part);
    case 'contains': {
      const { implies } = searchTerm(condition.term);
      const isKnown = implies !== undefined && 'every' in implies;
      return !isKnown || condition.places.some((place) => place.kind === 'metadata');
    }
    default:
      return condition.place.kind === 'column' && isInside(condition.place.column.type);
  }
}

/** Comparisons in a sharp search, the one of the unique value among them. */
const SHARP_PARTS_MAX = 5;
const PLAIN_TYPES: ReadonlySet<Column['type']> = new Set([
  ...(['String', 'Number', 'Boolean', 'DateTime', 'Date', 'Time', 'Location'] as const),
]);

/**
 * Whether at most one record can fulfil it, and next to nothing is to be done with that record, however long it is: a few
 * comparisons of columns that are short. One plan, made once, serves every value then, and nothing that shares the
 * connection is kept waiting. A term among them would read the whole search text: 63 of them took 0.5 s for a record of 1 MB.
 */
export function isSharp(condition: Condition): boolean {
  const parts = condition.kind === 'and' ? condition.parts : [condition];
  return parts.length <= SHARP_PARTS_MAX && parts.some(isUniqueEquality) && parts.every(isCheap);
}

function isUniqueEquality(condition: Condition): boolean {
  if (condition.kind !== 'text' || condition.operator !== '=' || condition.place.kind !== 'column') return false;
  return condition.place.column.unique && condition.place.column.type === 'String';
}

const isCheap = (condition: Condition): boolean =>
  isUniqueEquality(condition) || isShortComparison(condition.kind === 'not' ? condition.part : condition);

function isShortComparison(condition: Condition): boolean {
  switch (condition.kind) {
    case 'present':
    case 'number':
    case 'boolean':
    case 'range':
    case 'near':
      return isPlain(condition.place);
    case 'text':
      // Of a longer one the rest is read from the record itself.
      return isPlain(condition.place) && condition.value.length < SEARCHED_CUT;
    default:
      return false;
  }
}

const isPlain = (place: Place): boolean => place.kind === 'column' && PLAIN_TYPES.has(place.column.type);

const isInside = (type: Column['type']): boolean => type === 'Object' || type === 'Array';

type Leaf = Exclude<Condition, { kind: 'everything' | 'nothing' | 'and' | 'or' | 'not' | 'contains' }>;

function leaf(condition: Leaf, source: Source, setting: SearchSetting): string {
  const { place } = condition;
  if (place.kind === 'metadata') return metadataLeaf(condition, place.name, { source, setting });
  const referred = referredPlace(place, setting.application);
  if (referred !== undefined) {
    const inReferred = (at: Source) => leaf({ ...condition, place: referred.place }, at, setting);
    // What most records have is not worth collecting first.
    const eager = condition.kind !== 'present' && !('operator' in condition && condition.operator !== '=');
    return throughReference({ place, referred, source }, setting, { test: inReferred, eager });
  }
  const { params } = setting;
  const { alias } = source;
  const at = (test: Parameters<typeof anyAt>[2]['test']) => anyAt(source, place, { params, test });
  switch (condition.kind) {
    case 'present':
      return presentSql(source, place, params);
    case 'text':
      return withIndex(source, { place, value: condition.value, exact: condition.operator === '=' }, setting, () =>
        at((operand) => textSql(operand, condition, { alias, params })),
      );
    case 'user':
      return at((operand) => nameSql(operand, condition, { alias, params, schema: setting.schema }));
    case 'number':
    case 'boolean':
      return at((operand) => numberSql(operand, condition, { alias, params }));
    case 'range':
      return at((operand) => rangeSql(operand, condition, { alias, params, type: typeAt(place) }));
    case 'near':
      return at((operand) => withinDistance(operand, condition, { alias, params }));
  }
}

/** Equal texts inside of Objects and Arrays have no index of their own; the one for substrings narrows them down. */
function withIndex(
  source: Source,
  { place, value, exact }: { place: ColumnPlace; value: string; exact: boolean },
  { params }: SearchSetting,
  make: () => string,
): string {
  const inside = projectionsAt(source, place.column.id).json !== undefined && source.sections === undefined;
  const narrowed = inside && exact ? implied(source, searchTerm(foldText(value)), params) : undefined;
  return narrowed === undefined ? make() : `(${narrowed} and ${make()})`;
}

function presentSql(source: Source, place: ColumnPlace, params: Params): string {
  const { alias } = source;
  const projections = projectionsAt(source, place.column.id);
  const { value, latitude, json } = projections;
  if (place.key !== undefined) {
    return anyAt(source, place, {
      params,
      test: (operand) => (operand.kind === 'json' ? `${operand.sql} is not null` : 'false'),
    });
  }
  const column = value ?? latitude ?? json;
  if (column === undefined) throw new Error(`nothing of the column ${place.column.id} is projected`);
  return `${alias}.${column.name} is not null`;
}

interface At {
  readonly source: Source;
  readonly setting: SearchSetting;
}

const USER_ID_COLUMNS = { createdBy: 'created_by', updatedBy: 'updated_by' } as const;

function metadataLeaf(condition: Leaf, name: MetadataName, { source, setting }: At): string {
  const { params, schema } = setting;
  const column = `${source.alias}.${METADATA_COLUMNS[name].name}`;
  switch (condition.kind) {
    case 'present':
      return 'true';
    case 'text':
      return `${column} ${condition.operator} ${params.text(condition.value)}`;
    case 'user': {
      const tests = condition.name === undefined ? [] : [`${column} = ${params.text(condition.name)}`];
      if (condition.id !== undefined && (name === 'createdBy' || name === 'updatedBy')) {
        const id = params.text(condition.id);
        // Names never change, so the index on them finds users by their identifier too.
        tests.push(
          `(${source.alias}.${USER_ID_COLUMNS[name]} = ${id}
            and ${column} = any (array(select u.name from ${schema}.users u where u.id = ${id})))`,
        );
      }
      return `(${tests.join(' or ')})`;
    }
    case 'range': {
      const { from, before } = condition;
      const tests = from === undefined ? [] : [`${column} >= ${params.add(from, 'timestamptz')}`];
      if (before !== undefined) tests.push(`${column} < ${params.add(before, 'timestamptz')}`);
      return tests.length === 0 ? 'true' : `(${tests.join(' and ')})`;
    }
    default:
      throw new Error(`$${name} cannot be asked for a ${condition.kind}`);
  }
}

/** One look at the index for all places of the table itself; each reference and each of the metadata asks for itself. */
function contains(places: readonly Place[], term: string, at: At): string {
  const own: ColumnPlace[] = [];
  const others: string[] = [];
  for (const place of places) {
    const referred = place.kind === 'column' ? referredPlace(place, at.setting.application) : undefined;
    if (place.kind === 'metadata') others.push(metadataContains(place.name, term, at));
    else if (referred === undefined) own.push(place);
    else {
      const test = (source: Source) => contains([referred.place], term, { ...at, source });
      others.push(throughReference({ place, referred, source: at.source }, at.setting, { test, eager: true }));
    }
  }
  const tests =
    own.length === 0
      ? others
      : [sectionsContain(own, term, { source: at.source, params: at.setting.params }), ...others];
  return tests.length === 0 ? 'false' : `(${tests.join(' or ')})`;
}

function metadataContains(name: MetadataName, term: string, { source, setting }: At): string {
  const sought = setting.params.text(term);
  if (name === 'id') return `strpos(${source.alias}.id, ${sought}) > 0`;
  if (name !== 'createdBy' && name !== 'updatedBy') throw new Error(`$${name} contains no text`);
  return `${source.alias}.${USER_ID_COLUMNS[name]} = any (array(
    select u.id from ${setting.schema}.users u where strpos(u.name_folded, ${sought}) > 0))`;
}

interface ReferredPlace {
  readonly collection: PreparedCollection;
  readonly place: ColumnPlace;
}

function referredPlace({ column }: ColumnPlace, application: PreparedApplication): ReferredPlace | undefined {
  if (!('scheme' in column) || !('collectionId' in column.scheme)) return undefined;
  const { collectionId, columnId } = column.scheme;
  const collection = application.collections.get(collectionId);
  const referred = collection?.columns.get(columnId);
  if (collection === undefined || referred === undefined) throw new Error(`the column ${column.id} refers to nothing`);
  return { collection, place: { kind: 'column', column: referred } };
}

/**
 * A test of the referred record, among those that the caller may read. `eager`: those that pass are collected first, so
 * that the index on the reference can be used, together with others.
 */
function throughReference(
  { place, referred, source }: { place: ColumnPlace; referred: ReferredPlace; source: Source },
  { schema, caller, params }: SearchSetting,
  { test, eager }: { test: (source: Source) => string; eager: boolean },
): string {
  const pointer = projectionsAt(source, place.column.id).recordId;
  if (pointer === undefined) throw new Error(`the column ${place.column.id} is not projected`);
  const alias = `${source.alias}r`;
  const scope = readScope(referred.collection.definition, caller);
  const visible = scope === undefined ? '' : ` and ${alias}.created_by = ${params.text(scope)}`;
  const table = `${tableOf(schema, referred.collection.definition.id)} ${alias}`;
  const passes = test({ collection: referred.collection, alias });
  const column = `${source.alias}.${pointer.name}`;
  return eager
    ? `${column} = any (array(select ${alias}.id from ${table} where ${passes}${visible}))`
    : `exists (select from ${table} where ${alias}.id = ${column} and ${passes}${visible})`;
}
