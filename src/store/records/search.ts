// Compiles a search condition to SQL. Every value becomes a parameter; every name comes from the definition. A leaf may be
// null if the record has no value; null counts as false, which `not` takes into account.

import type { PreparedApplication, PreparedCollection } from '../../domain/definition/application.ts';
import { type Caller, readScope } from '../../domain/people/access.ts';
import type { Condition, MetadataName, SearchField } from '../../domain/search/condition.ts';
import { foldText } from '../../domain/search/fold.ts';
import { atOnce, type Steps } from '../../load/slices.ts';
import { Params } from '../database/params.ts';
import { nameSql, numberSql, rangeSql, textSql, withinDistance } from './search-leaves.ts';
import { anyAt, type ColumnField, projectionsAt, type Source, typeAt } from './search-places.ts';
import { implied, readOnce, readTogether, sectionsContain, textsNarrowed, writtenTerm } from './search-texts.ts';
import { METADATA_COLUMNS, tableOf } from './tables.ts';

export interface SearchSetting {
  readonly schema: string;
  readonly application: PreparedApplication;
  readonly caller: Caller;
  readonly params: Params;
}

/** A condition in SQL, on the table with the alias `t`. */
export type Where = (params: Params) => string;

export type SearchedTable = Omit<SearchSetting, 'params'> & { readonly collection: PreparedCollection };

/** Undefined if every record matches. */
export function searchCondition(condition: Condition, table: SearchedTable): Where | undefined {
  if (condition.kind === 'everything') return undefined;
  const { schema, application, caller, collection } = table;
  return (params) => compileSearch(condition, { collection, alias: 't' }, { schema, application, caller, params });
}

/** The same as `searchCondition` for a large search: it is compiled once, in steps, and each statement includes the result. */
export function* largeSearchCondition(condition: Condition, { collection, ...setting }: SearchedTable): Steps<Where> {
  const params = new Params();
  const text = yield* compileInSteps(condition, { collection, alias: 't' }, { ...setting, params });
  return (others) => others.include({ text, values: params.values });
}

export const compileSearch = (condition: Condition, source: Source, setting: SearchSetting): string =>
  atOnce(compileInSteps(condition, source, setting));

function* compileInSteps(condition: Condition, source: Source, setting: SearchSetting): Steps<string> {
  const { params } = setting;
  const { together, others } = readTogether(condition);
  if (together.length === 0) return yield* compile(condition, source, setting);
  const found = textsNarrowed(together, source, params);
  const read = yield* readOnce({ source, params }, together, (part, at) => compile(part, at, setting));
  const tests = yield* compileAll(others, source, setting);
  return `(${[...tests, ...found, read].join(' and ')})`;
}

function* compile(condition: Condition, source: Source, setting: SearchSetting): Steps<string> {
  switch (condition.kind) {
    case 'and':
    case 'or':
      return `(${(yield* compileAll(condition.parts, source, setting)).join(` ${condition.kind} `)})`;
    case 'not':
      return `(${yield* compile(condition.part, source, setting)} is not true)`;
    default:
      return compileLeaf(condition, source, setting);
  }
}

/** One step, apart from what consists of several conditions itself: mostly a term in all columns. */
function* compileAll(parts: readonly Condition[], source: Source, setting: SearchSetting): Steps<string[]> {
  const tests: string[] = [];
  for (const part of parts) {
    tests.push(
      'parts' in part || 'part' in part ? yield* compile(part, source, setting) : compileLeaf(part, source, setting),
    );
  }
  yield;
  return tests;
}

type AnyLeaf = Exclude<Condition, { kind: 'and' | 'or' | 'not' }>;

function compileLeaf(condition: AnyLeaf, source: Source, setting: SearchSetting): string {
  switch (condition.kind) {
    case 'everything':
      return 'true';
    case 'nothing':
      return 'false';
    case 'contains':
      return contains(condition.fields, condition.term, { source, setting });
    default:
      return leaf(condition, source, setting);
  }
}

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
  const narrowed = inside && exact ? implied(source, writtenTerm(foldText(value)), params) : undefined;
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
