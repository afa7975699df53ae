// What the joinings of single creates, updates and deletes have in common (store/database/joining). Each is beside its operation:
// in inserts, single-statement-updates and removals.

import type { PreparedCollection } from '../../domain/definition/application.ts';
import { pacedLocks } from '../../store/activity/logged-write.ts';
import type { Joining } from '../../store/database/joining.ts';
import type { Row } from '../../store/database/statements.ts';
import type { Requester } from '../../store/records/joined-reads.ts';
import { type JoinedTexts, joinedTexts } from '../../store/records/joined-statements.ts';
import { LONG_AMONG_OTHERS_BYTES } from '../../store/records/long-records.ts';
import type { JoinedWrite } from '../write-together.ts';

/** A single write of a record. */
export type JoinedRecordWrite = Requester & JoinedWrite;

/**
 * The joining of one kind of writes for each collection. A statement names the generation that its members were prepared for. The
 * texts are made when writes meet for the first time: of thousands of collections, most are written by one request at a time.
 */
export function joinedByCollection<M extends JoinedRecordWrite>(
  make: (texts: () => JoinedTexts) => Joining<M, Row[]>,
): (write: M) => Promise<Row[]> {
  const joinings = new WeakMap<
    PreparedCollection,
    { readonly generation: number; readonly joining: Joining<M, Row[]> }
  >();
  return (write) => {
    const { collection, generation, schema } = write.table;
    let found = joinings.get(collection);
    if (found?.generation !== generation) {
      const pace = pacedLocks(write.store.engine);
      let texts: JoinedTexts | undefined;
      found = { generation, joining: make(() => (texts ??= joinedTexts(schema, collection, pace))) };
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
