// The state of a publish that is running or was interrupted: the lock of its publisher, and its row in
// cartulary.publishing, which says what to clean up and how far it has come.

import { setTimeout as pause } from 'node:timers/promises';
import { tooBusy } from '../../faults.ts';
import type { Definition } from '../../wire/publish-document.ts';
import type { Publisher, Reader, Writer } from '../database/handles.ts';
import { readDefinition } from './applications.ts';

/** The advisory lock of one publisher per application, over all nodes: "publ" in ASCII, and a hash of the application. */
const PUBLISH_LOCK = 0x7075626c;
const LOCK_RETRY_MS = 100;
/** How long a publish waits for another one, or for a move. */
export const PUBLISH_LOCK_MS = 15 * 60_000;

/** Held until the publisher gives its connection back, or the connection closes. */
export async function tryLockPublishing({ system }: Publisher, applicationId: string): Promise<boolean> {
  let key = 0;
  for (const character of applicationId) key = (Math.imul(key, 31) + (character.codePointAt(0) ?? 0)) | 0;
  const rows = await system.rows('select pg_try_advisory_lock($1, $2)', [PUBLISH_LOCK, key]);
  return rows[0]?.[0] as boolean;
}

/**
 * Polls instead of waiting in the database: a statement that waits there holds a snapshot, and the publisher that has the
 * lock could not build an index concurrently before that snapshot ends. The two would wait for each other.
 */
export async function lockPublishing(publisher: Publisher, applicationId: string): Promise<void> {
  const deadline = performance.now() + PUBLISH_LOCK_MS;
  while (!(await tryLockPublishing(publisher, applicationId))) {
    if (performance.now() > deadline) throw tooBusy();
    await pause(LOCK_RETRY_MS * (0.5 + Math.random()));
  }
}

/** `undoing`: back to the stored definition. `clearing`: after the switch, dropping what only the former one needed. */
export type PublishStep = 'checking' | 'waiting' | 'filling' | 'indexing' | 'switching' | 'clearing' | 'undoing';

export interface PublishProgress {
  readonly step: PublishStep;
  readonly collectionId: string | null;
  readonly done: number;
  readonly total: number;
}

export interface PublishState extends PublishProgress {
  /** The definition besides the stored one for which tables may hold columns: the next one, or the former one. */
  readonly other: Definition;
  readonly switched: boolean;
  readonly startedAt: Date;
}

export async function getPublishState(reader: Reader, applicationId: string): Promise<PublishState | undefined> {
  const rows = await reader.rows(
    'select other, switched, step, collection_id, done, total, started_at from cartulary.publishing where application_id = $1',
    [applicationId],
  );
  const row = rows[0] as [string, boolean, PublishStep, string | null, number, number, Date] | undefined;
  if (row === undefined) return undefined;
  const [other, switched, step, collectionId, done, total, startedAt] = row;
  return { other: readDefinition(other), switched, step, collectionId, done, total, startedAt };
}

/** Applications with a publish that is running or was interrupted. */
export async function listUnfinishedPublishes(reader: Reader): Promise<string[]> {
  const rows = await reader.rows('select application_id from cartulary.publishing order by 1', [], { prepare: true });
  return rows.map((row) => row[0] as string);
}

export async function putPublishState(
  handle: Reader,
  applicationId: string,
  { other, switched, step, startedAt }: Pick<PublishState, 'other' | 'switched' | 'step' | 'startedAt'>,
): Promise<void> {
  await handle.rows(
    `insert into cartulary.publishing (application_id, other, switched, step, done, total, started_at)
     values ($1, $2, $3, $4, 0, 0, $5)
     on conflict (application_id) do update set other = excluded.other, switched = excluded.switched,
       step = excluded.step, collection_id = null, done = 0, total = 0`,
    [applicationId, JSON.stringify(other), switched, step, startedAt],
  );
}

/** Written before the first change, so that an interrupted publish can be cleaned up. */
export async function recordPublish(
  { system }: Publisher,
  { other, step, now }: Pick<PublishState, 'other' | 'step'> & { now: number },
): Promise<void> {
  await putPublishState(system, other.id, { other, switched: false, step, startedAt: new Date(now) });
}

export async function putPublishProgress(
  writer: Writer,
  applicationId: string,
  { step, collectionId, done, total }: PublishProgress,
): Promise<void> {
  await writer.write(
    `update cartulary.publishing set step = $2, collection_id = $3, done = $4, total = $5 where application_id = $1`,
    [applicationId, step, collectionId, done, total],
  );
}

export async function removePublishState(handle: Reader, applicationId: string): Promise<void> {
  await handle.rows('delete from cartulary.publishing where application_id = $1', [applicationId]);
}
