// The write of several requests in one statement (store/database/joining): each comes with its activity entries, and is
// acknowledged after the commit that carried it.

import { cancelledWithAll } from '../request/signal.ts';
import type { SubjectEntry } from '../store/activity/activity.ts';
import { type Change, loggedWrite } from '../store/activity/logged-write.ts';
import { isRolledBack } from '../store/database/database-errors.ts';
import type { Writer } from '../store/database/handles.ts';
import type { Member } from '../store/database/joining.ts';
import { counted } from '../store/database/open-transaction.ts';
import type { Row } from '../store/database/statements.ts';

export interface JoinedWrite extends Member {
  readonly store: Writer;
  /** Made when the write leaves. A function and not a getter, which would give each object a shape of its own. */
  readonly entries: () => readonly SubjectEntry[];
}

/** `change` returns rows that begin with the identifier of what was written. */
export async function writeTogether<M extends JoinedWrite>(
  members: readonly M[],
  change: Change,
  idOf: (member: M) => string,
): Promise<(Row[] | undefined)[]> {
  const entries = members.flatMap((member) => member.entries());
  for (const { scope } of members) scope.committedWrites += 1;
  const unwritten = ({ scope }: Member) => {
    scope.committedWrites -= 1;
    return undefined;
  };
  // A statement that waits, such as for a lock of its table, would otherwise write when all have been told that it did not.
  const all = cancelledWithAll(members.map(({ scope }) => scope.signal));
  const writing = loggedWrite(members[0]!.store.joined(all), { isJoint: true, ...change }, entries);
  for (const { scope } of members) counted(scope, [change], writing);
  let rows: Row[];
  try {
    rows = await writing;
  } catch (error) {
    if (!isRolledBack(error)) throw error;
    return members.map(unwritten);
  } finally {
    all.release();
  }
  const written = new Map(rows.map((row) => [row[0], row]));
  return members.map((member) => {
    const row = written.get(idOf(member));
    return row === undefined ? unwritten(member) : [row];
  });
}
