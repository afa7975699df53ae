// Deleting many: in steps that are each one short transaction, so that no lock is held for long and what was done stays
// done. The oldest identifier goes first; whoever is interrupted repeats the request.

import type { Context } from '../context.ts';
import { writeScope } from '../domain/access.ts';
import { tooBusy } from '../faults.ts';
import { loggedLast } from '../store/logged-write.ts';
import { lockMatching, removeLocked } from '../store/record-removals.ts';
import { StaleDefinition } from '../store/sqlstate.ts';
import { type InCollection, inCollection, pathOf } from './in-collection.ts';
import { isoTime, recordEntries } from './record-drafts.ts';
import { type SearchInput, searchOf, whereOf } from './record-lists.ts';

const STEP = 500;

export async function removeMany(
  context: Context,
  input: SearchInput & { collectionId: string; limit: number },
): Promise<number> {
  const at = inCollection(context, input.collectionId);
  const condition = searchOf(at, input);
  if (condition.kind === 'nothing') return 0;
  const where = condition.kind === 'everything' ? undefined : whereOf(at, condition);
  let count = 0;
  for (let after = ''; count < input.limit; ) {
    const limit = Math.min(STEP, input.limit - count);
    const removed = await step(at, { where, after, limit }).catch((error: unknown) => {
      // With another definition the search may mean something else, and what was deleted cannot be counted again.
      throw error instanceof StaleDefinition && count > 0 ? tooBusy() : error;
    });
    count += removed.length;
    for (const id of removed) at.known.forget(pathOf(at), id);
    if (removed.length < limit) break;
    after = removed.at(-1) ?? after;
  }
  return count;
}

async function step(at: InCollection, query: Omit<Parameters<typeof lockMatching>[2], 'scope'>): Promise<string[]> {
  const scope = writeScope(at.collection.definition, at.caller);
  return at.store.transaction(async (tx) => {
    const ids = await lockMatching(tx, at.table, { ...query, scope });
    if (ids.length === 0) return [];
    const entries = recordEntries(at, { kind: 'record.delete', recordIds: ids, date: isoTime(at.now()) });
    const removed = await loggedLast(at.store, tx, removeLocked(at.table, ids), entries);
    // They are locked, so nothing but the fence can have kept one of them.
    if (removed.length < ids.length) throw new StaleDefinition();
    return ids;
  });
}
