// Lists of records: sorted, page by page, optionally filtered by a search. The statement itself excludes records that the
// caller may not read, so they show in no count, order or match.

import type { Context } from '../../context.ts';
import type { PreparedCollection } from '../../domain/definition/application.ts';
import { sha256Hex } from '../../domain/hash.ts';
import { readScope } from '../../domain/people/access.ts';
import {
  cutPosition,
  type ListOrder,
  type Position,
  readPosition,
  type SortKey,
  writePosition,
} from '../../domain/records/list-order.ts';
import type { Projected } from '../../domain/records/projections.ts';
import { type RecordText, readRecordHead, readRecordText } from '../../domain/records/record-text.ts';
import { isLongSearch, readSearch, readSearchInSteps } from '../../domain/search/check.ts';
import type { Condition } from '../../domain/search/condition.ts';
import { hintFor } from '../../domain/search/hints.ts';
import { fault } from '../../faults.ts';
import { isDecidedByReferences, type PageRequest, readPage } from '../../store/records/list-plans.ts';
import { bytesOf, isLongRecord, longRecordsIn, readLongRecord } from '../../store/records/long-records.ts';
import { getRecord } from '../../store/records/records.ts';
import { largeSearchCondition, searchCondition, type Where } from '../../store/records/search.ts';
import { isLarge } from '../../store/records/search-costs.ts';
import { isIdentifier } from '../../wire/identifiers.ts';
import type { Value } from '../../wire/values.ts';
import { requireBytes, withBytes } from '../held-bytes.ts';
import { type InCollection, inCollection } from '../in-collection.ts';
import { withLiveReferences, withLiveReferencesFrom } from './live-references.ts';
import { readLongInTurns } from './long-texts.ts';
import { readLong } from './reading.ts';

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
  readonly texts: readonly RecordText[];
  /** The position of the next page, if there may be one. */
  readonly next?: string;
  /** What was probably meant, if the search found nothing at all. */
  readonly hint?: string;
}

export async function list(context: Context, input: ListInput): Promise<RecordPage> {
  const at = inCollection(context, input.collectionId);
  const order = orderOf(at.collection, input.sort);
  const condition = await searchOf(at, input);
  const after = input.after === undefined ? undefined : await positionOf(at, order, input.after);
  const { table, application, caller } = at;
  const scope = readScope(at.collection.definition, caller);
  const { skip, limit } = input;
  const where = await whereOf(at, condition);
  const page = { table, application, caller, order, condition, where, scope, after, skip, limit };
  const texts = await livePage(at, page);
  if (texts.length === 0) return { texts, ...hintOf(at, input) };
  const last = texts.at(-1);
  if (last === undefined || texts.length < input.limit) return { texts };
  return { texts, next: writePosition(order, cutPosition(positionIn(order, last))) };
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

/** An empty page further on is only the end of the list. */
function hintOf(at: InCollection, { search, skip, after }: ListInput): Pick<RecordPage, 'hint'> {
  if (search === '' || skip > 0 || after !== undefined) return {};
  const hint = hintFor(search, at.collection.definition.columns);
  return hint === undefined ? {} : { hint };
}

/** The condition of a search, in the given time zone or the application's; a long one is read in slices. */
export function searchOf(
  at: InCollection,
  { search, timezone }: SearchInput,
  { refusesEmptyTerms = false }: { refusesEmptyTerms?: boolean } = {},
): Condition | Promise<Condition> {
  const { columns } = at.collection.definition;
  const zone = timezone ?? at.application.definition.timeZone;
  const context = { refusesEmptyTerms, columns, zone, now: at.now(), callerId: at.caller.id };
  if (!isLongSearch(search, columns)) return readSearch(search, context);
  at.scope.heavy = true;
  return at.slices.run(at.scope, readSearchInSteps(search, context));
}

/** The condition in SQL; a large one is compiled in slices. */
export function whereOf(at: InCollection, condition: Condition): Where | undefined | Promise<Where> {
  const { application, caller, collection, store } = at;
  const searched = { schema: store.schema, application, caller, collection };
  if (!isLarge(condition)) return searchCondition(condition, searched);
  return at.slices.run(at.scope, largeSearchCondition(condition, searched));
}

/** If referred values decide which records are listed, or their order, both are read in one snapshot. */
async function livePage(at: InCollection, page: PageRequest): Promise<readonly RecordText[]> {
  if (at.collection.references.length === 0 || !isDecidedByReferences(page)) {
    const texts = await readPage({ reader: at.store, store: at.store }, page);
    if (!texts.some(isLongRecord)) return withLiveReferences(at, texts);
    return withBytes(at, () => {
      requireBytes(at, bytesOf(longRecordsIn(texts)));
      return pageAtOneMoment(at, page);
    });
  }
  return withBytes(at, () => pageAtOneMoment(at, page));
}

/** Long records are read separately, in the snapshot that reported their sizes. */
function pageAtOneMoment(at: InCollection, page: PageRequest): Promise<readonly RecordText[]> {
  return at.store.snapshot(async (reader) => {
    const texts = await readPage({ reader, store: at.store }, page);
    const long = longRecordsIn(texts);
    if (long.length === 0) return withLiveReferencesFrom(at, reader, texts);
    requireBytes(at, bytesOf(long));
    const whole = await readLongInTurns(at, reader, long);
    const complete = texts.map((text) => (isLongRecord(text) ? whole.get(readLongRecord(text).id)! : text));
    return withLiveReferencesFrom(at, reader, complete);
  });
}

const LAST_CHARACTER = '\u{10ffff}';

async function positionOf(at: InCollection, order: ListOrder, after: string): Promise<Position> {
  const invalid = (reason: string) => fault('INVALID_PARAMETER', { parameter: 'after', reason });
  if (isIdentifier('recordId', after)) {
    const record = await visibleRecord(at, after);
    if (record === undefined) throw invalid('there is no such record');
    return positionIn(order, record);
  }
  const position = readPosition(after, order);
  if ('problem' in position) throw invalid(position.problem);
  // A long text does not fit into the position. The rest is read from the record, if the record still has that text.
  const { value, id, digest } = position;
  if (digest === undefined) return position;
  const record = await visibleRecord(at, id);
  const current = record === undefined ? undefined : positionIn(order, record);
  if (typeof current?.value === 'string' && sha256Hex(current.value) === digest) return current;
  // Otherwise before all texts with this beginning, in either direction: records may be listed twice, but none is skipped.
  return order.descending ? { value: `${value}${LAST_CHARACTER}`, id } : { value, id };
}

async function visibleRecord(at: InCollection, recordId: string): Promise<RecordText | undefined> {
  const scope = readScope(at.collection.definition, at.caller);
  const stored = await getRecord(at.store, at.table, { recordId, scope });
  if (stored === undefined) return undefined;
  return isLongRecord(stored) ? readLong(at, stored) : (await withLiveReferences(at, [stored]))[0];
}

function positionIn(order: ListOrder, text: RecordText): Position {
  if (order.key === 'column') {
    const { id, values } = readRecordText(text);
    const value = values[order.column.id];
    return { value: value === undefined ? null : plain(value), id };
  }
  const head = readRecordHead(text);
  const value = head[order.key];
  return { value: typeof value === 'string' ? value : value.name, id: head.id };
}

function plain(value: Value): Projected {
  // In a reply, a reference carries the referred value; an unresolved one carries none.
  if ('recordId' in value) return 'value' in value ? plain(value.value as Value) : null;
  if ('name' in value) return value.name;
  if ('value' in value && typeof value.value !== 'object') return value.value;
  throw new Error(`nothing can be sorted by a ${value.type}`);
}
