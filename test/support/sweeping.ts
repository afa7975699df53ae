// The sweep as a test runs it: by hand, on the scene's own database and store, at whatever time the test says it is.

import { tmpdir } from 'node:os';
import { DAY_MS } from '../../src/domain/dates/days.ts';
import type { Observation } from '../../src/events/events.ts';
import type { UpkeepContext } from '../../src/operations/every-application.ts';
import { sweepUnfinished, sweepUnheldAndStray } from '../../src/operations/upkeep/attachment-sweep.ts';
import { eraseRemoved } from '../../src/operations/upkeep/erasure.ts';
import { ActiveUploads } from '../../src/store/attachments/active-uploads.ts';
import type { Blobs } from '../../src/store/blobs/blobs.ts';
import { createBlobs } from '../../src/store/blobs/open.ts';
import { Database } from '../../src/store/database/database.ts';
import { type AttachmentScene, attachment, filesOf } from './attachments.ts';

export const UNHELD_DAYS = 7;

export interface Sweeper {
  readonly context: UpkeepContext;
  readonly observed: Observation[];
  readonly blobs: Blobs;
  /** As it would run so many days from now. */
  sweep(days?: number): Promise<void>;
  /** As it would run so many seconds from now. */
  erase(seconds?: number): Promise<void>;
  close(): Promise<void>;
}

export async function openSweeper({ server, store }: AttachmentScene): Promise<Sweeper> {
  const database = Database.open({
    connection: server.database.connection,
    connectionsMax: 4,
    onConnectionError: () => undefined,
  });
  const blobs = createBlobs(store.place, tmpdir());
  await blobs.open();
  const observed: Observation[] = [];
  let days = 0;
  const context: UpkeepContext = {
    database,
    now: () => Date.now() + days * DAY_MS,
    observe: (observation) => observed.push(observation),
    attachments: { blobs, node: 'test', goneCheckPauseMs: 500, activeUploads: new ActiveUploads() },
  };
  const { signal } = new AbortController();
  return {
    context,
    observed,
    blobs,
    sweep: async (later = 0) => {
      days = later;
      await sweepUnfinished(context, { signal });
      await sweepUnheldAndStray(context, { unheldDays: UNHELD_DAYS, signal });
    },
    erase: async (later = 0) => {
      days = (later * 1_000) / DAY_MS;
      await eraseRemoved(context, signal);
    },
    close: async () => {
      await blobs.close();
      await database.close();
    },
  };
}

/** An upload, and a record that holds it in the column given. */
export async function heldIn(
  scene: AttachmentScene,
  collection: string,
  values: (id: { id: string }) => object,
): Promise<{ id: string; recordId: string }> {
  const { app } = scene;
  const { id } = await filesOf(scene, collection).uploadNamed('held.txt');
  const reply = await app.send('POST', app.records(collection), { json: { values: values({ id }) } });
  if (reply.status !== 200) throw new Error(reply.text);
  return { id, recordId: reply.body.id };
}

export const photo = (columnId: string) => (file: { id: string }) => ({ [columnId]: attachment(file) });

/** The row of an attachment as far as the sweep cares. */
export async function rowOf({ server, app }: AttachmentScene, id: string) {
  const rows = await server.database.sql(
    `select state, free_since is not null from app_${app.id}.attachments where id = $1`,
    [id],
  );
  const [state, free] = (rows[0] ?? ['gone', false]) as [string, boolean];
  return { state, free };
}

/** Rows as a test needs them, in a state that no request leaves behind by itself. */
export async function plant(
  { server, app }: AttachmentScene,
  row: { id: string; collectionId: string } & Record<string, unknown>,
): Promise<void> {
  const { id, collectionId, ...members } = row;
  const columns = {
    id,
    collection_id: collectionId,
    name: 'planted.txt',
    content_type: 'text/plain',
    state: 'pending',
    created_by: app.admin.id,
    created_at: new Date().toISOString(),
    received: 0,
    ...members,
  };
  const names = Object.keys(columns);
  await server.database.sql(
    `insert into app_${app.id}.attachments (${names.join(', ')}) values (${names.map((_, n) => `$${n + 1}`).join(', ')})`,
    Object.values(columns),
  );
}

let planted = 0;
export const plantedId = (): string => `a${String(++planted).padStart(26, '0')}`;

export async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}
