// The statements of the sweep: rows that are to go, and what a record holds. Each change repeats the condition that the
// look before it has found, because writers go on meanwhile.

import type { PreparedCollection } from '../../domain/definition/application.ts';
import type { Reader, Writer } from '../database/handles.ts';
import { tableOf } from '../records/tables.ts';
import { type AttachmentState, holdsAny } from './attachments.ts';

/** Looking up which of so many a record holds took 11 ms among 100,000 records. */
const SWEEP_PAGE = 500;

export interface Unfinished {
  readonly id: string;
  readonly name: string;
  readonly state: AttachmentState;
  /** The server that receives it. */
  readonly node: string | null;
}

/** Removals that were begun, and uploads that go on only while their server lives: those announced, once expired. */
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

/** Announced uploads that are attachments by now, and whose pieces may not all have gone. */
export async function pageOfJoined(reader: Reader, after: string): Promise<string[]> {
  const rows = await reader.rows(
    `select id from ${reader.schema}.attachments
     where id > $1 and state = 'available' and pieces is not null order by id limit ${SWEEP_PAGE}`,
    [after],
  );
  return rows.map((row) => row[0] as string);
}

export interface Judged {
  readonly id: string;
  readonly collectionId: string;
  readonly state: AttachmentState;
  /** Whether no record was known to hold it, and for as long as the grace lasts. */
  readonly free: 'no' | 'lately' | 'long';
}

/** All, page by page: a condition that few rows meet would read the table up to its end for one page. */
export async function pageToJudge(
  reader: Reader,
  { after, cutoff }: { after: string; cutoff: string },
): Promise<Judged[]> {
  const rows = await reader.rows(
    `select id, collection_id, state, case when free_since is null then 'no' when free_since <= $2 then 'long' else 'lately' end
     from ${reader.schema}.attachments where id > $1 order by id limit ${SWEEP_PAGE}`,
    [after, cutoff],
  );
  return (rows as [string, string, AttachmentState, Judged['free']][]).map(([id, collectionId, state, free]) => ({
    id,
    collectionId,
    state,
    free,
  }));
}

/**
 * Those of the attachments that no record of their collection holds. As an anti-join, which looks each of them up in the
 * index: `exists` as an expression is planned for its first row, and was read from the beginning of the table, 430 ms
 * for one attachment among 100,000 records.
 */
export async function unheldAmong(
  reader: Reader,
  collection: PreparedCollection,
  ids: readonly string[],
): Promise<Set<string>> {
  const holds = holdsAny(collection, 'jsonb_build_array(a.id)');
  if (holds === undefined) return new Set(ids);
  const [rows = []] = await reader.ask({
    text: `select a.id from ${reader.schema}.attachments a where a.id = any($1::text[])
      and not exists (select 1 from ${tableOf(reader.schema, collection.definition.id)} t where ${holds})`,
    params: [ids],
  });
  return new Set(rows.map((row) => row[0] as string));
}

interface Change {
  /** Of the rows `a`, and of the fence; `$1` are the identifiers. */
  readonly where: string;
  readonly params: readonly unknown[];
  readonly set: string;
  /** What `set` calls `$2`. */
  readonly value?: string;
}

/**
 * The identifiers of what was changed. Rows that somebody is writing are left for the next time: who waits for nobody
 * has no part in a deadlock.
 */
async function changeUnlocked(writer: Writer, ids: readonly string[], change: Change): Promise<string[]> {
  if (ids.length === 0) return [];
  return writer.transaction(async (tx) => {
    const taken = await tx.rows(
      `select a.id from ${tx.schema}.attachments a, ${tx.schema}.fence
       where a.id = any($1::text[]) and ${change.where} order by a.id for update of a skip locked`,
      [ids, ...change.params],
    );
    const found = taken.map((row) => row[0] as string);
    if (found.length === 0) return [];
    await tx.last([
      {
        text: `update ${tx.schema}.attachments set ${change.set} where id = any($1::text[]) returning id`,
        params: change.value === undefined ? [found] : [found, change.value],
      },
    ]);
    return found;
  });
}

/** `deadNodes`: servers that were found to be gone, or to receive none of these, after the uploads were seen. */
export function condemnInterrupted(
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

/** Of collections that the definition of this generation does not have: a server that is behind condemns nothing. */
export function condemnStrays(
  writer: Writer,
  { ids, collectionIds, generation }: { ids: readonly string[]; collectionIds: readonly string[]; generation: number },
): Promise<string[]> {
  return changeUnlocked(writer, ids, {
    where: `fence.generation = $2 and a.state <> 'removing' and a.collection_id <> all($3::text[])`,
    params: [generation, collectionIds],
    set: `state = 'removing'`,
  });
}

/** Whoever is about to hold one has cleared `free_since` before (keepAttachments). */
export function condemnUnheld(
  writer: Writer,
  { ids, cutoff, generation }: { ids: readonly string[]; cutoff: string; generation: number },
): Promise<string[]> {
  return changeUnlocked(writer, ids, {
    where: `fence.generation = $2 and a.state in ('available', 'missing') and a.free_since <= $3`,
    params: [generation, cutoff],
    set: `state = 'removing'`,
  });
}

/** From now on the grace runs. A record that is being written and holds it will be seen before the grace is over. */
export function markUnheld(
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

export function markHeld(writer: Writer, ids: readonly string[]): Promise<string[]> {
  return changeUnlocked(writer, ids, {
    where: `a.state <> 'removing' and a.free_since is not null`,
    params: [],
    set: 'free_since = null',
  });
}
