// The statements of the sweep: which attachments are unfinished or held by no record, and marking them for removal. Each
// update repeats the condition of the query before it, because writers continue meanwhile.

import type { PreparedCollection } from '../../domain/definition/application.ts';
import { mayDestroy } from '../database/backup-locks.ts';
import type { Reader, Writer } from '../database/handles.ts';
import { tableOf } from '../records/tables.ts';
import { type AttachmentState, holdsAny } from './attachments.ts';

/** Finding which attachments of a page are held took 11 ms among 100,000 records. */
const SWEEP_PAGE = 500;

export interface Unfinished {
  readonly id: string;
  readonly name: string;
  readonly state: AttachmentState;
  /** The node that receives it. */
  readonly node: string | null;
}

/** Removals that were begun, uploads in one request, which end with their node, and announced uploads that have expired. */
export async function pageOfUnfinished(
  reader: Reader,
  { after, now }: { after: string; now: string },
): Promise<Unfinished[]> {
  const rows = await reader.rows(
    `select id, name, state, node from ${reader.schema}.attachments
     where id > $1 and state <> 'available'
       and (state = 'removing' or (state = 'pending' and (pieces is null or expires_at <= $2)))
     order by id limit ${SWEEP_PAGE}`,
    [after, now],
  );
  return (rows as [string, string, AttachmentState, string | null][]).map(([id, name, state, node]) => ({
    id,
    name,
    state,
    node,
  }));
}

/** Announced uploads that are attachments by now and may still have pieces. */
export async function pageOfJoined(reader: Reader, after: string): Promise<string[]> {
  const rows = await reader.rows(
    `select id from ${reader.schema}.attachments
     where id > $1 and state = 'available' and pieces is not null order by id limit ${SWEEP_PAGE}`,
    [after],
  );
  return rows.map((row) => row[0] as string);
}

export interface SweepCandidate {
  readonly id: string;
  readonly collectionId: string;
  readonly state: AttachmentState;
  /** Whether no record is known to hold it, and whether for longer than the grace period. */
  readonly unheld: 'no' | 'in grace' | 'beyond grace';
}

/** Every attachment, page by page: with a condition that few rows meet, one page would scan the rest of the table. */
export async function pageOfSweepCandidates(
  reader: Reader,
  { after, cutoff }: { after: string; cutoff: string },
): Promise<SweepCandidate[]> {
  const rows = await reader.rows(
    `select id, collection_id, state,
       case when free_since is null then 'no' when free_since <= $2 then 'beyond grace' else 'in grace' end
     from ${reader.schema}.attachments where id > $1 order by id limit ${SWEEP_PAGE}`,
    [after, cutoff],
  );
  return (rows as [string, string, AttachmentState, SweepCandidate['unheld']][]).map(
    ([id, collectionId, state, unheld]) => ({ id, collectionId, state, unheld }),
  );
}

/**
 * The attachments that no record of their collection holds. An anti-join, which looks each of them up in the index: the
 * planner expects an early first row of `exists` as an expression, and scanned the table, 430 ms for one attachment among
 * 100,000 records.
 */
export async function findUnheld(
  reader: Reader,
  collection: PreparedCollection,
  ids: readonly string[],
): Promise<Set<string>> {
  const holds = holdsAny(collection, 'jsonb_build_array(a.id)');
  if (holds === undefined) return new Set(ids);
  const [rows = []] = await reader.longQuery({
    text: `select a.id from ${reader.schema}.attachments a where a.id = any($1::text[])
      and not exists (select 1 from ${tableOf(reader.schema, collection.definition.id)} t where ${holds})`,
    params: [ids],
  });
  return new Set(rows.map((row) => row[0] as string));
}

interface RowChange {
  /** A condition on the rows `a` and the fence; `$1` are the identifiers. */
  readonly where: string;
  readonly params: readonly unknown[];
  readonly set: string;
  /** `$2` in `set`. */
  readonly value?: string;
  /** Files will be removed that a backup may still have to copy: while one is under way, no row is changed. */
  readonly givesWayToBackups?: true;
}

/** Returns the identifiers of the changed rows. Locked rows are left for the next sweep: without waiting, no deadlock. */
async function changeUnlocked(writer: Writer, ids: readonly string[], change: RowChange): Promise<string[]> {
  if (ids.length === 0) return [];
  return writer.transaction(async (tx) => {
    if (change.givesWayToBackups && !(await mayDestroy(tx, 'files'))) return [];
    const locked = await tx.rows(
      `select a.id from ${tx.schema}.attachments a, ${tx.schema}.fence
       where a.id = any($1::text[]) and ${change.where} order by a.id for update of a skip locked`,
      [ids, ...change.params],
    );
    const found = locked.map((row) => row[0] as string);
    if (found.length === 0) return [];
    await tx.commitWith([
      {
        text: `update ${tx.schema}.attachments set ${change.set} where id = any($1::text[]) returning id`,
        params: change.value === undefined ? [found] : [found, change.value],
      },
    ]);
    return found;
  });
}

/** `deadNodes`: nodes found to be gone, or to receive none of these uploads, after the uploads were listed. */
export function markInterruptedForRemoval(
  writer: Writer,
  { ids, deadNodes, now }: { ids: readonly string[]; deadNodes: readonly string[]; now: string },
): Promise<string[]> {
  return changeUnlocked(writer, ids, {
    where: `a.state = 'pending' and (a.node is null or a.node = any($2::text[]))
      and (a.pieces is null or a.expires_at <= $3)`,
    params: [deadNodes, now],
    set: `state = 'removing'`,
  });
}

/**
 * Attachments of collections that the definition of this generation does not have. The generation is compared, so that a
 * node with a stale definition marks nothing.
 */
export function markStraysForRemoval(
  writer: Writer,
  { ids, collectionIds, generation }: { ids: readonly string[]; collectionIds: readonly string[]; generation: number },
): Promise<string[]> {
  return changeUnlocked(writer, ids, {
    where: `fence.generation = $2 and a.state <> 'removing' and a.collection_id <> all($3::text[])`,
    params: [generation, collectionIds],
    set: `state = 'removing'`,
    givesWayToBackups: true,
  });
}

/** A write that is about to hold one has cleared `free_since` before (`keepAttachments`). */
export function markUnheldForRemoval(
  writer: Writer,
  { ids, cutoff, generation }: { ids: readonly string[]; cutoff: string; generation: number },
): Promise<string[]> {
  return changeUnlocked(writer, ids, {
    where: `fence.generation = $2 and a.state in ('available', 'missing') and a.free_since <= $3`,
    params: [generation, cutoff],
    set: `state = 'removing'`,
    givesWayToBackups: true,
  });
}

/** A record that is being written now and holds one of them is seen before the grace period is over. */
export function startUnheldGrace(
  writer: Writer,
  { ids, now, generation }: { ids: readonly string[]; now: string; generation: number },
): Promise<string[]> {
  return changeUnlocked(writer, ids, {
    where: `fence.generation = $2 and a.state <> 'removing' and a.free_since is null`,
    params: [generation],
    set: 'free_since = $2',
    value: now,
  });
}

export function endUnheldGrace(writer: Writer, ids: readonly string[]): Promise<string[]> {
  return changeUnlocked(writer, ids, {
    where: `a.state <> 'removing' and a.free_since is not null`,
    params: [],
    set: 'free_since = null',
  });
}
