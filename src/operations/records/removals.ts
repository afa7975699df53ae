// Deletes: of one record, and of all that match a search. Those are found without locks and deleted in batches, each a short transaction,
// so that no lock is held for long and finished batches stay deleted. The oldest identifiers go first; a client whose
// request was interrupted repeats it.

import type { Context } from '../../context.ts';
import { writeScope } from '../../domain/people/access.ts';
import { tooBusy } from '../../faults.ts';
import { commitLogged, loggedWrite } from '../../store/activity/logged-write.ts';
import { StaleDefinition } from '../../store/database/database-errors.ts';
import { Joining } from '../../store/database/joining.ts';
import { type JoinedRemove, removeStatement } from '../../store/records/joined-statements.ts';
import { removeRecord } from '../../store/records/records.ts';
import { findMatching, lockMatching, removeLocked } from '../../store/records/removals.ts';
import { recordEntries } from '../activity/entries.ts';
import { type InCollection, inCollection } from '../in-collection.ts';
import { writeTogether } from '../write-together.ts';
import { removeOnCluster } from './cluster-writes.ts';
import { CHANGES_UNDER_WAY, inOrderOfIds, type JoinedRecordWrite, joinedByCollection } from './joined-writes.ts';
import { type SearchInput, searchOf, whereOf } from './lists.ts';

/** Records found, and deleted, at a time. */
const FOUND_MAX = 10_000;
const REMOVED_MAX = 500;

export async function removeMany(
  context: Context,
  input: SearchInput & { collectionId: string; limit: number },
): Promise<number> {
  const at = inCollection(context, input.collectionId);
  const condition = await searchOf(at, input, { refusesEmptyTerms: true });
  if (condition.kind === 'nothing') return 0;
  const selection = {
    condition,
    where: await whereOf(at, condition),
    scope: writeScope(at.collection.definition, at.caller),
  };
  let count = 0;
  const refuseToStartOver = (error: unknown) => {
    // With another definition the search may mean something else, and deleted records cannot be counted again.
    throw error instanceof StaleDefinition && count > 0 ? tooBusy() : error;
  };
  for (let after = ''; count < input.limit; ) {
    const limit = Math.min(FOUND_MAX, input.limit - count);
    const found = findMatching(at.store, at.table, { ...selection, after, limit });
    const ids = await found.catch(refuseToStartOver);
    for (let start = 0; start < ids.length; start += REMOVED_MAX) {
      const batch = ids.slice(start, start + REMOVED_MAX);
      const removed = await removeBatch(at, { ...selection, ids: batch }).catch(refuseToStartOver);
      count += removed.length;
    }
    if (ids.length < limit) break;
    after = ids.at(-1) ?? after;
  }
  return count;
}

async function removeBatch(at: InCollection, selection: Parameters<typeof lockMatching>[2]): Promise<string[]> {
  return at.store.dataTransaction(async (tx) => {
    const ids = await lockMatching(tx, at.table, selection);
    if (ids.length === 0) return [];
    const entries = recordEntries(at, { kind: 'record.delete', recordIds: ids });
    const removed = await commitLogged(at.store, tx, removeLocked(at.table, ids), entries);
    // The records are locked, so only the fence can have kept one from being deleted.
    if (removed.length < ids.length) throw new StaleDefinition();
    return ids;
  });
}

type Remove = JoinedRecordWrite & JoinedRemove;

const idRemoved = ({ recordId }: Remove): string => recordId;

/** The identifier; no row if the record does not fulfil the conditions or the definition is stale. */
export const removeOne = joinedByCollection<Remove>(
  (texts) =>
    new Joining({
      underWayMax: CHANGES_UNDER_WAY,
      collectsTurn: true,
      alone: ({ store, table, recordId, conditions, entries }) =>
        store.engine === 'citus'
          ? removeOnCluster(store, { table, recordId, conditions, entries: entries() })
          : loggedWrite(store, removeRecord(table, recordId, conditions), entries()),
      together: (members) => {
        const change = removeStatement(texts().remove, inOrderOfIds(members, idRemoved));
        return writeTogether(members, change, idRemoved);
      },
      keyOf: idRemoved,
    }),
);
