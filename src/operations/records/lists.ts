// Lists of records: in order, page by page, narrowed down by a search. What the caller may not read is left out by the
// statement itself, so that it shows in no count, order or hit.

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
import { ORDERED_CUT, type Projected } from '../../domain/records/projections.ts';
import { type RecordText, readRecordText, type StoredRecord } from '../../domain/records/record-text.ts';
import { readSearch } from '../../domain/search/check.ts';
import type { Condition } from '../../domain/search/condition.ts';
import { fault } from '../../faults.ts';
import type { Reader } from '../../store/database/handles.ts';
import type { Params } from '../../store/database/params.ts';
import { isUnfit } from '../../store/database/sqlstate.ts';
import type { Row, Statement } from '../../store/database/statements.ts';
import { assertGeneration, fenceGeneration } from '../../store/records/fence.ts';
import { type PageForm, type PageQuery, pageOf } from '../../store/records/lists.ts';
import {
  bytesOf,
  isLongRecord,
  longRecordsIn,
  readLongRecord,
  readLongTexts,
} from '../../store/records/long-records.ts';
import { getRecord } from '../../store/records/records.ts';
import { pageByReference } from '../../store/records/reference-lists.ts';
import { compileSearch, isGuess, isSharp } from '../../store/records/search.ts';
import { isIdentifier } from '../../wire/identifiers.ts';
import type { Value } from '../../wire/values.ts';
import { type InCollection, inCollection } from '../in-collection.ts';
import { requireBytes, withBytes } from './held-bytes.ts';
import { withLiveReferences, withReferencesOf } from './live-references.ts';
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

/** What the search asks for; the time zone is the application's unless another is given. */
export function searchOf(
  at: InCollection,
  { search, timezone }: SearchInput,
  { refusesEmptyTerms = false }: { refusesEmptyTerms?: boolean } = {},
): Condition {
  return readSearch(search, {
    refusesEmptyTerms,
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
async function livePage(at: InCollection, query: PageQuery, condition: Condition): Promise<readonly RecordText[]> {
  const decides = query.where !== undefined || isReference(query.order);
  if (at.collection.references.length === 0 || !decides) {
    const texts = await readPage(at, query, { reader: at.store, condition });
    if (!texts.some(isLongRecord)) return withLiveReferences(at, texts);
    return withBytes(at, () => {
      requireBytes(at, bytesOf(longRecordsIn(texts)));
      return pageAtOneMoment(at, query, condition);
    });
  }
  return withBytes(at, () => pageAtOneMoment(at, query, condition));
}

/** Long records are read by themselves, in the snapshot that has told their sizes. */
function pageAtOneMoment(at: InCollection, query: PageQuery, condition: Condition): Promise<readonly RecordText[]> {
  return at.store.snapshot(async (reader) => {
    const texts = await readPage(at, query, { reader, condition });
    const long = longRecordsIn(texts);
    if (long.length === 0) return withReferencesOf(at, reader, texts);
    requireBytes(at, bytesOf(long));
    const whole = await readLongTexts(
      reader,
      at.collection.definition.id,
      long.map(({ id }) => id),
    );
    const page = texts.map((text) => (isLongRecord(text) ? whole.get(readLongRecord(text).id)! : text));
    return withReferencesOf(at, reader, page);
  });
}

const isReference = ({ column }: ListOrder): boolean => column !== undefined && 'scheme' in column;

interface Reading {
  readonly reader: Reader;
  readonly condition: Condition;
}

async function readPage(at: InCollection, query: PageQuery, { reader, condition }: Reading): Promise<string[]> {
  const { application, caller } = at;
  if (isReference(query.order)) return textsOf(await ask(at, reader, pageByReference(query, application, caller)));
  // What can be read straight off an index travels with the other short reads.
  if (query.skip === 0 && (condition.kind === 'everything' || isSharp(condition))) {
    return pageIn(query, 'plain', {
      first: ({ text, params }) => reader.rows(text, params),
      exact: (statement) => ask(at, reader, statement),
    });
  }
  const asking = (statement: Statement) => ask(at, reader, statement);
  const slow = { first: asking, exact: asking };
  if (!isGuess(condition)) return pageIn(query, 'plain', slow);
  const walked = await pageIn(query, 'walk', slow);
  return walked.length === query.limit ? walked : pageIn(query, 'collect', slow);
}

type Run = (statement: Statement) => Promise<Row[]>;

async function pageIn(query: PageQuery, form: PageForm, run: { first: Run; exact: Run }): Promise<string[]> {
  const rows = await run.first(pageOf(query, { form, exact: false }));
  if (!rows.some((row) => row[1] === true) && !isLong(query.after)) return textsOf(rows);
  return textsOf(await run.exact(pageOf(query, { form, exact: true })));
}

/**
 * A statement that may have waited for its turn while a definition was published. Behind the switch it would find what
 * the old definition asks for in what the new one has written, so it counts only while the generation is still its own.
 */
async function ask({ store, table }: InCollection, reader: Reader, statement: Statement): Promise<Row[]> {
  const fence = fenceGeneration(store.schema);
  try {
    const [rows = [], generation] = await reader.ask(statement, [fence]);
    assertGeneration(generation, table.generation);
    return rows;
  } catch (error) {
    if (isUnfit(error)) assertGeneration(await store.rows(fence.text, fence.params), table.generation);
    throw error;
  }
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
    return positionIn(order, record);
  }
  const position = readPosition(after, order);
  if ('problem' in position) throw invalid(position.problem);
  // A long text does not fit into the position; the record has the rest of it, if it is still there unchanged.
  const { value, id, digest } = position;
  if (digest === undefined) return position;
  const record = await visibleRecord(at, id);
  const present = record === undefined ? undefined : positionIn(order, record);
  if (typeof present?.value === 'string' && sha256Hex(present.value) === digest) return present;
  // Before all texts that begin like this, in either direction: what is there may come twice, but is not left out.
  return order.descending ? { value: `${value}${LAST_CHARACTER}`, id } : { value, id };
}

async function visibleRecord(at: InCollection, recordId: string): Promise<RecordText | undefined> {
  const scope = readScope(at.collection.definition, at.caller);
  const stored = await getRecord(at.store, at.table, { recordId, scope });
  if (stored === undefined) return undefined;
  return isLongRecord(stored) ? readLong(at, stored) : (await withLiveReferences(at, [stored]))[0];
}

function positionIn(order: ListOrder, text: RecordText): Position {
  const record = readRecordText(text);
  return { value: sortValue(order, record), id: record.id };
}

function sortValue({ key, column }: ListOrder, record: StoredRecord): Projected {
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
