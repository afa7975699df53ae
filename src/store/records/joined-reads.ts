// Reads of single records by their identifier or by a unique key, several requests in one statement (store/database/joining).

import type { PreparedCollection } from '../../domain/definition/application.ts';
import { isInScope } from '../../domain/people/access.ts';
import type { Writer } from '../database/handles.ts';
import { Joining, type JoiningOptions, type Member } from '../database/joining.ts';
import { counted } from '../database/open-transaction.ts';
import { textArray } from '../database/text-arrays.ts';
import { isLongRecord } from './long-records.ts';
import { getRecord, getRecordsText, type Table } from './records.ts';

/** The database serves two statements at once; a third would only find fewer members. */
const UNDER_WAY = 2;

/** A request's operation on one collection. */
export interface Requester extends Member {
  readonly store: Writer;
  readonly table: Table;
}

export interface JoinedRead extends Requester {
  readonly value: string;
  readonly readScope: string | undefined;
}

/** A read that found nothing, as distinct from one that was not served. */
const NOT_FOUND = '';

export class JoinedReads {
  readonly #joining: Joining<JoinedRead, string>;

  /**
   * `text` takes an array of values, and returns for each record found its value, its text or size (long-records), and its
   * creator. `alone` reads one record.
   */
  constructor(
    text: string,
    alone: (read: JoinedRead) => Promise<string | undefined>,
    pace: Pick<JoiningOptions<JoinedRead, string>, 'underWayMax' | 'collectsTurn'> = { underWayMax: UNDER_WAY },
  ) {
    this.#joining = new Joining({
      ...pace,
      alone: async (read) => (await alone(read)) ?? NOT_FOUND,
      together: (reads) => readTogether(reads, text),
    });
  }

  /** Undefined if there is no such record in the scope. */
  async get(read: JoinedRead): Promise<string | undefined> {
    return (await this.#joining.run(read)) || undefined;
  }
}

/** A read may be repeated: whatever goes wrong, each member reads alone. */
async function readTogether(reads: readonly JoinedRead[], text: string): Promise<(string | undefined)[]> {
  const values = textArray([...new Set(reads.map(({ value }) => value))], 'text');
  const reading = reads[0]!.store.joined().rows(text, [values]);
  for (const { scope } of reads) counted(scope, [{ text }], reading).catch(() => undefined);
  const rows = await reading.catch(() => undefined);
  if (rows === undefined) return [];
  const found = new Map(rows.map((row) => [row[0], row]));
  return reads.map(({ value, readScope }) => {
    const [, rec, createdBy] = (found.get(value) ?? []) as [string?, string?, string?];
    if (rec === undefined || createdBy === undefined || !isInScope(readScope, createdBy)) return NOT_FOUND;
    // Too long to be read among others, but perhaps not alone.
    return isLongRecord(rec) ? undefined : rec;
  });
}

type Gets = WeakMap<PreparedCollection, JoinedReads>;

const gets: Gets = new WeakMap();
const getsOnReplicas = new WeakMap<object, Gets>();

function getsOn(replica: object): Gets {
  const known = getsOnReplicas.get(replica) ?? new WeakMap();
  getsOnReplicas.set(replica, known);
  return known;
}

/** As `getRecord`. */
export function getRecordJoined(
  { store, scope, table }: Requester,
  { recordId, readScope }: { recordId: string; readScope: string | undefined },
): Promise<string | undefined> {
  const known = store.replica === undefined ? gets : getsOn(store.replica);
  let reads = known.get(table.collection);
  if (reads === undefined) {
    reads = new JoinedReads(getRecordsText(table), (read) =>
      getRecord(read.store, read.table, { recordId: read.value, scope: read.readScope }),
    );
    known.set(table.collection, reads);
  }
  return reads.get({ store, scope, table, value: recordId, readScope });
}
