// Which applications may have notifications to deliver, so that not every application's queue has to be polled. A note is
// written before the queue, so that every queued notification has one (operations/upkeep/deliveries).

import type { Reader, Writer } from '../database/handles.ts';

export interface DueNote {
  readonly applicationId: string;
  /** When the latest notification was queued. */
  readonly notedAt: Date;
}

export async function dueNotes(reader: Reader, now: string, limit: number): Promise<DueNote[]> {
  const rows = await reader.rows(
    `select application_id, noted_at from cartulary.due_notifications where due_at <= $1
     order by due_at, application_id limit $2`,
    [now, limit],
  );
  return (rows as [string, Date][]).map(([applicationId, notedAt]) => ({ applicationId, notedAt }));
}

/** Whether there is a note from `since` or later. */
export async function isNoted(reader: Reader, applicationId: string, since: string): Promise<boolean> {
  const rows = await reader.rows(
    'select 1 from cartulary.due_notifications where application_id = $1 and noted_at >= $2',
    [applicationId, since],
  );
  return rows.length > 0;
}

export async function noteDue(writer: Writer, applicationId: string, now: string): Promise<void> {
  await writer.write(
    `insert into cartulary.due_notifications as n (application_id, due_at, noted_at) values ($1, $2, $2)
     on conflict (application_id) do update set
       due_at = least(n.due_at, excluded.due_at), noted_at = greatest(n.noted_at, excluded.noted_at)`,
    [applicationId, now],
  );
}

/** Does nothing if another notification was queued since the note was read. */
export async function moveNote(writer: Writer, { applicationId, notedAt }: DueNote, dueAt: string): Promise<void> {
  await writer.write('update cartulary.due_notifications set due_at = $3 where application_id = $1 and noted_at = $2', [
    applicationId,
    notedAt.toISOString(),
    dueAt,
  ]);
}

/** Something is due earlier than the note says. */
export async function hastenNote(writer: Writer, applicationId: string, dueAt: string): Promise<void> {
  await writer.write('update cartulary.due_notifications set due_at = $2 where application_id = $1 and due_at > $2', [
    applicationId,
    dueAt,
  ]);
}

export async function removeNote(writer: Writer, { applicationId, notedAt }: DueNote): Promise<void> {
  await writer.write('delete from cartulary.due_notifications where application_id = $1 and noted_at = $2', [
    applicationId,
    notedAt.toISOString(),
  ]);
}
