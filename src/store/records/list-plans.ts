// How a page of records is read: which statement of store/records/list-statements, how often, and on which kind of connection. An
// operation says what the page holds; which plan finds it is decided here.

import type { PreparedApplication } from '../../domain/definition/application.ts';
import type { Caller } from '../../domain/people/access.ts';
import type { ListOrder, Position } from '../../domain/records/list-order.ts';
import { ORDERED_CUT } from '../../domain/records/projections.ts';
import type { Condition } from '../../domain/search/condition.ts';
import { isUnfit } from '../database/database-errors.ts';
import type { Reader } from '../database/handles.ts';
import type { Row, Statement } from '../database/statements.ts';
import { assertGeneration, fenceGeneration } from './fence.ts';
import { type PageForm, type PageQuery, pageOf } from './list-statements.ts';
import type { Table } from './records.ts';
import { pageByReference } from './reference-list-statements.ts';
import { isGuess, isSharp, searchCondition } from './search.ts';

export interface PageRequest {
  readonly table: Table;
  readonly application: PreparedApplication;
  readonly caller: Caller;
  readonly order: ListOrder;
  readonly condition: Condition;
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
  readonly store: Reader;
}

/** The texts of the page; long records as their size (store/records/long-records). */
export async function readPage(readers: PageReader, request: PageRequest): Promise<string[]> {
  const { table, application, caller, condition } = request;
  const query = queryOf(request);
  const runFenced = (statement: Statement) => fencedRows(readers, table, statement);
  if (isReferenceOrder(request.order)) return textsOf(await runFenced(pageByReference(query, application, caller)));
  // A page that is read straight off an index shares a lane with the other short reads.
  if (query.skip === 0 && (condition.kind === 'everything' || isSharp(condition))) {
    // Parsing and planning a page of a hundred records took the database as long as reading it.
    const runShort = ({ text, params }: Statement) => readers.reader.rows(text, params, { prepare: true });
    return readForm(query, 'plain', { first: runShort, exact: runFenced });
  }
  const slow = { first: runFenced, exact: runFenced };
  if (!isGuess(condition)) return readForm(query, 'plain', slow);
  const walked = await readForm(query, 'walk', slow);
  return walked.length === query.limit ? walked : readForm(query, 'collect', slow);
}

function queryOf({ table, application, caller, condition, ...page }: PageRequest): PageQuery {
  const { schema, collection } = table;
  const where = searchCondition(condition, { schema, collection, application, caller });
  return { ...page, schema, collection, ...(where === undefined ? {} : { where }) };
}

type Run = (statement: Statement) => Promise<Row[]>;

async function readForm(query: PageQuery, form: PageForm, run: { first: Run; exact: Run }): Promise<string[]> {
  const rows = await run.first(pageOf(query, { form, exact: false }));
  if (!rows.some((row) => row[1] === true) && !mayBeCut(query.after)) return textsOf(rows);
  return textsOf(await run.exact(pageOf(query, { form, exact: true })));
}

/**
 * For a statement that may wait while a definition is published. After the switch it would look for what the old
 * definition names in what the new one has written, so its rows count only while the generation is still its own.
 */
async function fencedRows({ reader, store }: PageReader, { generation }: Table, statement: Statement): Promise<Row[]> {
  const fence = fenceGeneration(store.schema);
  try {
    const [rows = [], current] = await reader.longQuery(statement, [fence]);
    assertGeneration(current, generation);
    return rows;
  } catch (error) {
    if (isUnfit(error)) assertGeneration(await store.rows(fence.text, fence.params), generation);
    throw error;
  }
}

const textsOf = (rows: readonly Row[]): string[] => rows.map((row) => row[0] as string);

/** Whether the position may lie among texts that differ only after their cut. */
const mayBeCut = (after: Position | undefined): boolean =>
  typeof after?.value === 'string' && Buffer.byteLength(after.value) >= ORDERED_CUT;
