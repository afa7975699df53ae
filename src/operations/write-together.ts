// The write of several requests in one statement (store/database/joining): each comes with its activity entries, and is
// acknowledged after the commit that carried it.

import type { PreparedCollection } from '../domain/definition/application.ts';
import { loggedWrite, pacedLocks, type SubjectEntry } from '../store/activity/logged-write.ts';
import { isRolledBack } from '../store/database/database-errors.ts';
import type { Writer } from '../store/database/handles.ts';
import type { Joining, Member } from '../store/database/joining.ts';
import { counted } from '../store/database/open-transaction.ts';
import type { Row, Statement } from '../store/database/statements.ts';
import type { Requester } from '../store/records/joined-reads.ts';
import { type JoinedTexts, joinedTexts } from '../store/records/joined-statements.ts';
import { LONG_AMONG_OTHERS_BYTES } from '../store/records/long-records.ts';

export interface JoinedWrite extends Member {
  readonly store: Writer;
  readonly entries: readonly SubjectEntry[];
}

/** `change` returns rows that begin with the identifier of what was written. */
export async function writeTogether<M extends JoinedWrite>(
  members: readonly M[],
  change: Statement,
  idOf: (member: M) => string,
): Promise<(Row[] | undefined)[]> {
  const entries = members.flatMap((member) => member.entries);
  for (const { scope } of members) scope.committedWrites += 1;
  const unwritten = ({ scope }: Member) => {
    scope.committedWrites -= 1;
    return undefined;
  };
  const writing = loggedWrite(members[0]!.store.joined, change, entries);
  for (const { scope } of members) counted(scope, [change], writing);
  let rows: Row[];
  try {
    rows = await writing;
  } catch (error) {
    if (!isRolledBack(error)) throw error;
    return members.map(unwritten);
  }
  const written = new Map(rows.map((row) => [row[0], row]));
  return members.map((member) => {
    const row = written.get(idOf(member));
    return row === undefined ? unwritten(member) : [row];
  });
}

/** A single write of a record. */
export type JoinedRecordWrite = Requester & JoinedWrite;

/** The joining of one kind of writes for each collection. A statement names the generation that its members were prepared for. */
export function joinedByCollection<M extends JoinedRecordWrite>(
  make: (texts: JoinedTexts) => Joining<M, Row[]>,
): (write: M) => Promise<Row[]> {
  const joinings = new WeakMap<
    PreparedCollection,
    { readonly generation: number; readonly joining: Joining<M, Row[]> }
  >();
  return (write) => {
    const { collection, generation, schema } = write.table;
    let found = joinings.get(collection);
    if (found?.generation !== generation) {
      const texts = joinedTexts(schema, collection, pacedLocks(write.store.engine));
      found = { generation, joining: make(texts) };
      joinings.set(collection, found);
    }
    return found.joining.run(write);
  };
}

/** In UTF-16 units. Long texts would make the other members wait. */
export const isLongAmongOthers = (text: string): boolean => text.length > LONG_AMONG_OTHERS_BYTES;

/** Rows are locked in the order of their identifiers, as everywhere (store/records/records). */
export const inOrderOfIds = <M>(members: readonly M[], idOf: (member: M) => string): M[] =>
  members.toSorted((one, other) => (idOf(one) < idOf(other) ? -1 : 1));

/** The database serves two statements at once; a third would only find fewer members. */
export const CREATES_UNDER_WAY = 2;
/** Two statements that change shared rows in different orders would wait for each other. */
export const CHANGES_UNDER_WAY = 1;
