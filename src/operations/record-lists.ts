// Lists of records: in order, page by page, narrowed down by a search. What the caller may not read is left out by the
// statement itself, so that it shows in no count, order or hit.

import type { Context } from '../context.ts';
import { readScope } from '../domain/access.ts';
import type { PreparedCollection } from '../domain/application.ts';
import {
  type ListOrder,
  POSITION_TEXT_MAX,
  type Position,
  readPosition,
  type SortKey,
  writePosition,
} from '../domain/list-order.ts';
import { cutText, ORDERED_CUT, type Projected } from '../domain/projections.ts';
import { readSearch } from '../domain/search/check.ts';
import type { Condition } from '../domain/search/condition.ts';
import { fault } from '../faults.ts';
import type { Reader } from '../store/db.ts';
import { type PageForm, type PageQuery, pageOf } from '../store/lists.ts';
import type { Params } from '../store/params.ts';
import { getRecord } from '../store/records.ts';
import { pageByReference } from '../store/reference-lists.ts';
import { compileSearch, isGuess, isSharp } from '../store/search.ts';
import { isIdentifier } from '../wire/identifiers.ts';
import type { Value, Values } from '../wire/values.ts';
import { type InCollection, inCollection } from './in-collection.ts';
import { withLiveReferences } from './live-references.ts';

export interface SearchInput {
  readonly search: string;
  readonly timezone: string | undefined;
}

export interface ListInput extends SearchInput {
  readonly collectionId: string;
  readonly sort:
    | { readonly key: Exclude<SortKey, 'column'>; readonly descending: boolean }
    | { readonly key: 'column'; readonly descending: boolean; readonly columnId: string };
  readonly skip: number;
  readonly limit: number;
  readonly after: string | undefined;
}

export interface RecordPage {
  readonly texts: readonly string[];
  /** Where the list goes on, when more may follow. */
  readonly next?: string;
}

export async function list(context: Context, input: ListInput): Promise<RecordPage> {
  const at = inCollection(context, input.collectionId);
  const order = orderOf(at.collection, input.sort);
  const condition = searchOf(at, input);
  const after = input.after === undefined ? undefined : await positionOf(at, order, input.after);
  const query: PageQuery = {
    schema: at.store.schema,
    collection: at.collection,
    order,
    scope: readScope(at.collection.definition, at.caller),
    ...(condition.kind === 'everything' ? {} : { where: whereOf(at, condition) }),
    after,
    skip: input.skip,
    limit: input.limit,
  };
  const texts = await livePage(at, query, condition);
  const last = texts.at(-1);
  if (last === undefined || texts.length < input.limit) return { texts };
  return { texts, next: writePosition(order, positionIn(order, last)) };
}

function orderOf({ columns }: PreparedCollection, sort: ListInput['sort']): ListOrder {
  if (sort.key !== 'column') return sort;
  const column = columns.get(sort.columnId);
  if (column === undefined) {
    throw fault('INVALID_PARAMETER', { parameter: 'sortColumnId', reason: 'the collection has no such column' });
  }
  if (!column.sortable) throw fault('COLUMN_NOT_SORTABLE', { columnId: column.id });
  return { key: 'column', descending: sort.descending, column };
}

/** What the search asks for; the time zone is the application's unless another is given. */
export function searchOf(at: InCollection, { search, timezone }: SearchInput): Condition {
  return readSearch(search, {
    columns: at.collection.columns.values(),
    zone: timezone ?? at.application.definition.timeZone,
    now: at.now(),
    callerId: at.caller.id,
  });
}

export function whereOf(at: InCollection, condition: Condition): (params: Params) => string {
  const { application, caller, collection, store } = at;
  return (params) =>
    compileSearch(condition, { collection, alias: 't' }, { schema: store.schema, application, caller, params });
}

/** Where references decide which records are listed, or in what order, both are read at one moment. */
async function livePage(at: InCollection, query: PageQuery, condition: Condition): Promise<readonly string[]> {
  const decides = query.where !== undefined || isReference(query.order);
  if (at.collection.references.length === 0 || !decides) {
    return withLiveReferences(at, await readPage(at, query, { reader: at.store, condition }));
  }
  return at.store.snapshot(async (reader) =>
    withLiveReferences(at, await readPage(at, query, { reader, condition }), reader),
  );
}

const isReference = ({ column }: ListOrder): boolean => column !== undefined && 'scheme' in column;

async function readPage(
  { application, caller }: InCollection,
  query: PageQuery,
  { reader, condition }: { reader: Reader; condition: Condition },
): Promise<string[]> {
  if (isReference(query.order)) {
    const { text, params } = pageByReference(query, application, caller);
    return textsOf(await reader.ask(text, params));
  }
  // What can be read straight off an index travels with the other short reads.
  const quick = query.skip === 0 && (condition.kind === 'everything' || isSharp(condition));
  if (quick || !isGuess(condition)) return pageIn(reader, query, { form: 'plain', quick });
  const walked = await pageIn(reader, query, { form: 'walk', quick });
  return walked.length === query.limit ? walked : pageIn(reader, query, { form: 'collect', quick });
}

async function pageIn(
  reader: Reader,
  query: PageQuery,
  { form, quick }: { form: PageForm; quick: boolean },
): Promise<string[]> {
  const { text, params } = pageOf(query, { form, exact: false });
  const rows = await (quick ? reader.rows(text, params) : reader.ask(text, params));
  if (!rows.some((row) => row[1] === true) && !isLong(query.after)) return textsOf(rows);
  const exact = pageOf(query, { form, exact: true });
  return textsOf(await reader.ask(exact.text, exact.params));
}

const textsOf = (rows: readonly (readonly unknown[])[]): string[] => rows.map((row) => row[0] as string);

/** Whether the position may lie among texts that differ only behind their cut. */
const isLong = (after: Position | undefined): boolean =>
  typeof after?.value === 'string' && Buffer.byteLength(after.value) >= ORDERED_CUT;

const LAST_CHARACTER = '\u{10ffff}';

async function positionOf(at: InCollection, order: ListOrder, after: string): Promise<Position> {
  const invalid = (reason: string) => fault('INVALID_PARAMETER', { parameter: 'after', reason });
  if (isIdentifier('recordId', after)) {
    const record = await visibleRecord(at, after);
    if (record === undefined) throw invalid('there is no such record');
    return positionIn(order, record, { whole: true });
  }
  const position = readPosition(after, order);
  if ('problem' in position) throw invalid(position.problem);
  // A long text does not fit into the position; the record has the rest of it, if it is still there unchanged.
  const { value, id } = position;
  if (typeof value !== 'string' || cutText(value, POSITION_TEXT_MAX - 1) === value) return position;
  const record = await visibleRecord(at, id);
  const present = record === undefined ? undefined : positionIn(order, record, { whole: true });
  if (typeof present?.value === 'string' && present.value.startsWith(value)) return present;
  // Before all texts that begin like this, in either direction: what is there may come twice, but is not left out.
  return order.descending ? { value: value + LAST_CHARACTER, id } : position;
}

async function visibleRecord(at: InCollection, recordId: string): Promise<string | undefined> {
  const scope = readScope(at.collection.definition, at.caller);
  const stored = await getRecord(at.store, at.table, { recordId, scope });
  return stored === undefined ? undefined : (await withLiveReferences(at, [stored]))[0];
}

interface ShownRecord {
  readonly id: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly createdBy: { readonly name: string };
  readonly updatedBy: { readonly name: string };
  readonly values: Values;
}

function positionIn(order: ListOrder, text: string, { whole } = { whole: false }): Position {
  const record = JSON.parse(text) as ShownRecord;
  const value = sortValue(order, record);
  const fits = whole || typeof value !== 'string' ? value : cutText(value, POSITION_TEXT_MAX);
  return { value: fits, id: record.id };
}

function sortValue({ key, column }: ListOrder, record: ShownRecord): Projected {
  if (key === 'createdAt' || key === 'updatedAt') return record[key];
  if (key === 'createdBy' || key === 'updatedBy') return record[key].name;
  const value = column === undefined ? undefined : record.values[column.id];
  return value === undefined ? null : plain(value);
}

function plain(value: Value): Projected {
  // As it goes out a reference carries what it refers to; unresolved it carries nothing.
  if ('recordId' in value) return 'value' in value ? plain(value.value as Value) : null;
  if ('name' in value) return value.name;
  if ('value' in value && typeof value.value !== 'object') return value.value;
  throw new Error(`nothing can be sorted by a ${value.type}`);
}
