// How a page of records is read: which statement of store/records/list-statements, how often, and on which kind of connection. An
// operation says what the page holds; which plan finds it is decided here.

import type { PreparedApplication } from '../../domain/definition/application.ts';
import type { Caller } from '../../domain/people/access.ts';
import type { ListOrder, Position } from '../../domain/records/list-order.ts';
import { ORDERED_CUT } from '../../domain/records/projections.ts';
import type { Condition } from '../../domain/search/condition.ts';
import { isUnfit } from '../database/database-errors.ts';
import type { Reader, Writer } from '../database/handles.ts';
import type { Params } from '../database/params.ts';
import type { Row, Statement } from '../database/statements.ts';
import { assertGeneration, fenceGeneration, isCurrent } from './fence.ts';
import { MATCHES_MAX, type PageForm, type PageOptions, type PageQuery, pageOf } from './list-statements.ts';
import { hasFewMatches, learnFrequent } from './rare-terms.ts';
import type { Table } from './records.ts';
import { pageByReference } from './reference-list-statements.ts';
import type { Where } from './search.ts';
import { isGuess, isSharp } from './search-costs.ts';

export interface PageRequest {
  readonly table: Table;
  readonly application: PreparedApplication;
  readonly caller: Caller;
  readonly order: ListOrder;
  readonly condition: Condition;
  /** The condition in SQL; undefined if every record matches. */
  readonly where: Where | undefined;
  /** Only records of this creator are listed. */
  readonly scope: string | undefined;
  readonly after: Position | undefined;
  readonly skip: number;
  readonly limit: number;
}

const isReferenceOrder = ({ column }: ListOrder): boolean => column !== undefined && 'scheme' in column;

/** Whether referred values decide which records are on the page, or in what order. */
export const isDecidedByReferences = ({ condition, order }: PageRequest): boolean =>
  condition.kind !== 'everything' || isReferenceOrder(order);

interface PageReader {
  /** The page is read here: the application, or a snapshot of it. */
  readonly reader: Reader;
  /** Outside the snapshot, which a failed statement ends. */
  readonly store: Writer;
}

/** The texts of the page; long records as their size (store/records/long-records). */
export async function readPage(readers: PageReader, request: PageRequest): Promise<string[]> {
  const { table, application, caller, condition, order, after, skip, limit } = request;
  const query = queryOf(request);
  if (isReferenceOrder(order)) {
    return textsOf(await fencedRows(readers, table, pageByReference(fenced(query, table), application, caller)));
  }
  const readFenced: ReadRows = (options) => fencedRows(readers, table, pageOf(fenced(query, table), options));
  // A page that is read straight off an index shares a lane with the other short reads.
  if (skip === 0 && (condition.kind === 'everything' || isSharp(condition))) {
    const readShort: ReadRows = (options) => {
      const { text, params } = pageOf(query, options);
      // Parsing and planning a page of a hundred records took the database as long as reading it.
      return readers.reader.rows(text, params, { prepare: true });
    };
    return readForm('plain', after, { first: readShort, exact: readFenced });
  }
  const isWithin = skip + limit <= MATCHES_MAX;
  if (isWithin && hasFewMatches(condition, table.collection.definition.id, readers.store)) {
    const few = await readFew(readers, request, fenced(query, table));
    if (few !== undefined) return few;
  }
  const slow = { first: readFenced, exact: readFenced };
  if (!isGuess(condition)) return readForm('plain', after, slow);
  const walked = await readForm('walk', after, slow);
  return walked.length === limit ? walked : readForm('collect', after, slow);
}

/** Undefined if there are many matches after all. The statement is short, so it shares a lane. */
async function readFew(readers: PageReader, request: PageRequest, query: PageQuery): Promise<string[] | undefined> {
  const { table, condition, after } = request;
  const { text, params } = pageOf(query, { form: 'few', exact: false });
  const rows = await fenceChecked(readers, table, () => readers.reader.rows(text, params));
  const isMany = rows.some((row) => (row[2] as number) > MATCHES_MAX);
  if (isMany) learnFrequent(condition, table.collection.definition.id, readers.store);
  return isMany || isCutOff(rows, after) ? undefined : textsOf(rows);
}

/** Written out: a rest of properties and two spreads took a quarter of the time for making the statement of a page. */
function queryOf({ table, where, order, scope, after, skip, limit }: PageRequest): PageQuery {
  const { schema, collection } = table;
  return { schema, collection, order, scope, where, after, skip, limit };
}

type ReadRows = (options: PageOptions) => Promise<Row[]>;

async function readForm(
  form: PageForm,
  after: Position | undefined,
  read: { first: ReadRows; exact: ReadRows },
): Promise<string[]> {
  const rows = await read.first({ form, exact: false });
  if (!isCutOff(rows, after)) return textsOf(rows);
  return textsOf(await read.exact({ form, exact: true }));
}

/**
 * For a statement that may wait while a definition is published. After the switch it would look for what the old
 * definition names in what the new one has written, so it finds nothing unless the generation is still its own.
 */
function fenced(query: PageQuery, { schema, generation }: Table): PageQuery {
  const { where } = query;
  const conditions = (params: Params) => [
    ...(where === undefined ? [] : [where(params)]),
    isCurrent(schema, generation, params),
  ];
  return { ...query, where: (params) => conditions(params).join(' and ') };
}

async function fencedRows(readers: PageReader, table: Table, statement: Statement): Promise<Row[]> {
  return fenceChecked(readers, table, async () => (await readers.reader.longQuery(statement))[0] ?? []);
}

/** A page without records may mean that the generation has moved; a second statement after every search cost more. */
export async function fenceChecked(
  { reader, store }: PageReader,
  { generation }: Table,
  read: () => Promise<Row[]>,
): Promise<Row[]> {
  const { text, params, ...how } = fenceGeneration(store.schema);
  const check = async (from: Reader) => assertGeneration(await from.rows(text, params, how), generation);
  try {
    const rows = await read();
    if (rows.length === 0) await check(reader);
    return rows;
  } catch (error) {
    if (isUnfit(error)) await check(store);
    throw error;
  }
}

const textsOf = (rows: readonly Row[]): string[] => rows.map((row) => row[0] as string);

/** Whether texts that differ only after their cut may decide the order. */
const isCutOff = (rows: readonly Row[], after: Position | undefined): boolean =>
  rows.some((row) => row[1] === true) || mayBeCut(after);

/** Whether the position may lie among texts that differ only after their cut. */
const mayBeCut = (after: Position | undefined): boolean =>
  typeof after?.value === 'string' && Buffer.byteLength(after.value) >= ORDERED_CUT;
