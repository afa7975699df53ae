// Compiles a search condition to SQL. Every value becomes a parameter; every name comes from the definition. A leaf may be
// null if the record has no value; null counts as false, which `not` takes into account.

import type { PreparedApplication, PreparedCollection } from '../../domain/definition/application.ts';
import { type Caller, readScope } from '../../domain/people/access.ts';
import { SEARCHED_CUT } from '../../domain/records/projections.ts';
import type { Condition, MetadataName, SearchField } from '../../domain/search/condition.ts';
import { foldText } from '../../domain/search/fold.ts';
import { searchTerm } from '../../domain/search/search-text.ts';
import type { Column } from '../../wire/applications.ts';
import type { Params } from '../database/params.ts';
import { nameSql, numberSql, rangeSql, textSql, withinDistance } from './search-leaves.ts';
import { anyAt, type ColumnField, projectionsAt, type Source, typeAt } from './search-places.ts';
import { implied, readOnce, readTogether, sectionsContain, textsNarrowed } from './search-texts.ts';
import { METADATA_COLUMNS, tableOf } from './tables.ts';

export interface SearchSetting {
  readonly schema: string;
  readonly application: PreparedApplication;
  readonly caller: Caller;
  readonly params: Params;
}

/** The condition on the table with the alias `t`; undefined if every record matches. */
export function searchCondition(
  condition: Condition,
  {
    collection,
    schema,
    application,
    caller,
  }: Omit<SearchSetting, 'params'> & { readonly collection: PreparedCollection },
): ((params: Params) => string) | undefined {
  if (condition.kind === 'everything') return undefined;
  return (params) => compileSearch(condition, { collection, alias: 't' }, { schema, application, caller, params });
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
      return contains(condition.fields, condition.term, { source, setting });
    default:
      return leaf(condition, source, setting);
  }
}

/**
 * Whether the planner cannot estimate how many records match, because it has no statistics: for terms too short for the
 * index, for values inside Objects and Arrays, for the names of users in metadata.
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
      return !isKnown || condition.fields.some((field) => field.kind === 'metadata');
    }
    default:
      return condition.field.kind === 'column' && isInside(condition.field.column.type);
  }
}

/** Comparisons in a sharp search, including that of the unique value. */
const SHARP_PARTS_MAX = 5;
const PLAIN_TYPES: ReadonlySet<Column['type']> = new Set([
  ...(['String', 'Number', 'Boolean', 'DateTime', 'Date', 'Time', 'Location'] as const),
]);

/**
 * Whether at most one record can match, and checking it takes only a few comparisons of short columns, however long the
 * record is. Then one cached plan suits every value, and the statement does not delay others on the same lane. A term
 * would read the whole search text: 63 of them took 0.5 s for a record of 1 MB.
 */
export function isSharp(condition: Condition): boolean {
  const parts = condition.kind === 'and' ? condition.parts : [condition];
  return parts.length <= SHARP_PARTS_MAX && parts.some(isUniqueEquality) && parts.every(isCheap);
}

function isUniqueEquality(condition: Condition): boolean {
  if (condition.kind !== 'text' || condition.operator !== '=' || condition.field.kind !== 'column') return false;
  return condition.field.column.unique && condition.field.column.type === 'String';
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
      return isPlain(condition.field);
    case 'text':
      // The rest of a longer text would be read from the record itself.
      return isPlain(condition.field) && condition.value.length < SEARCHED_CUT;
    default:
      return false;
  }
}

const isPlain = (field: SearchField): boolean => field.kind === 'column' && PLAIN_TYPES.has(field.column.type);

const isInside = (type: Column['type']): boolean => type === 'Object' || type === 'Array';

type Leaf = Exclude<Condition, { kind: 'everything' | 'nothing' | 'and' | 'or' | 'not' | 'contains' }>;

function leaf(condition: Leaf, source: Source, setting: SearchSetting): string {
  const { field } = condition;
  if (field.kind === 'metadata') return metadataLeaf(condition, field.name, { source, setting });
  const referred = referredField(field, setting.application);
  if (referred !== undefined) {
    const inReferred = (at: Source) => leaf({ ...condition, field: referred.field }, at, setting);
    // A condition that most records fulfil is not worth collecting first.
    const eager = condition.kind !== 'present' && !('operator' in condition && condition.operator !== '=');
    return throughReference({ field, referred, source }, setting, { test: inReferred, eager });
  }
  const { params } = setting;
  const { alias } = source;
  const at = (test: Parameters<typeof anyAt>[2]['test']) => anyAt(source, field, { params, test });
  switch (condition.kind) {
    case 'present':
      return presentSql(source, field, params);
    case 'text':
      return withIndex(source, { field, value: condition.value, exact: condition.operator === '=' }, setting, () =>
        at((operand) => textSql(operand, condition, { alias, params })),
      );
    case 'user':
      return at((operand) => nameSql(operand, condition, { alias, params, schema: setting.schema }));
    case 'number':
    case 'boolean':
      return at((operand) => numberSql(operand, condition, { alias, params }));
    case 'range':
      return at((operand) => rangeSql(operand, condition, { alias, params, type: typeAt(field) }));
    case 'near':
      return at((operand) => withinDistance(operand, condition, { alias, params }));
  }
}

/** Equal texts inside Objects and Arrays have no index of their own; the index for substrings narrows them down. */
function withIndex(
  source: Source,
  { field, value, exact }: { field: ColumnField; value: string; exact: boolean },
  { params }: SearchSetting,
  make: () => string,
): string {
  const inside = projectionsAt(source, field.column.id).json !== undefined && source.sections === undefined;
  const narrowed = inside && exact ? implied(source, searchTerm(foldText(value)), params) : undefined;
  return narrowed === undefined ? make() : `(${narrowed} and ${make()})`;
}

function presentSql(source: Source, field: ColumnField, params: Params): string {
  const { alias } = source;
  const projections = projectionsAt(source, field.column.id);
  const { value, latitude, json } = projections;
  if (field.key !== undefined) {
    return anyAt(source, field, {
      params,
      test: (operand) => (operand.kind === 'json' ? `${operand.sql} is not null` : 'false'),
    });
  }
  const column = value ?? latitude ?? json;
  if (column === undefined) throw new Error(`nothing of the column ${field.column.id} is projected`);
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
      throw new Error(`$${name} cannot be compared as ${condition.kind}`);
  }
}

/** One index lookup for all columns of the table itself; each reference and each metadata name is a separate test. */
function contains(fields: readonly SearchField[], term: string, at: At): string {
  const own: ColumnField[] = [];
  const others: string[] = [];
  for (const field of fields) {
    const referred = field.kind === 'column' ? referredField(field, at.setting.application) : undefined;
    if (field.kind === 'metadata') others.push(metadataContains(field.name, term, at));
    else if (referred === undefined) own.push(field);
    else {
      const test = (source: Source) => contains([referred.field], term, { ...at, source });
      others.push(throughReference({ field, referred, source: at.source }, at.setting, { test, eager: true }));
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

interface ReferredField {
  readonly collection: PreparedCollection;
  readonly field: ColumnField;
}

function referredField({ column }: ColumnField, application: PreparedApplication): ReferredField | undefined {
  if (!('scheme' in column) || !('collectionId' in column.scheme)) return undefined;
  const { collectionId, columnId } = column.scheme;
  const collection = application.collections.get(collectionId);
  const referred = collection?.columns.get(columnId);
  if (collection === undefined || referred === undefined) throw new Error(`the column ${column.id} refers to nothing`);
  return { collection, field: { kind: 'column', column: referred } };
}

/**
 * A test of the referred record, if the caller may read it. `eager`: matching records are collected first, so that the
 * index on the reference can be used and combined with others.
 */
function throughReference(
  { field, referred, source }: { field: ColumnField; referred: ReferredField; source: Source },
  { schema, caller, params }: SearchSetting,
  { test, eager }: { test: (source: Source) => string; eager: boolean },
): string {
  const pointer = projectionsAt(source, field.column.id).recordId;
  if (pointer === undefined) throw new Error(`the column ${field.column.id} is not projected`);
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
