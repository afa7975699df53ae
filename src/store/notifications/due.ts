// The list of applications that may have notifications to deliver, so that not every application's queue is polled. An
// application is marked before anything is queued, so no queued notification is missed (operations/upkeep/deliveries).

import type { Reader, Writer } from '../database/handles.ts';

export interface DueApplication {
  readonly applicationId: string;
  /** When the application was last marked. */
  readonly notedAt: Date;
}

export async function dueApplications(reader: Reader, now: string, limit: number): Promise<DueApplication[]> {
  const rows = await reader.rows(
    `select application_id, noted_at from cartulary.due_notifications where due_at <= $1
     order by due_at, application_id limit $2`,
    [now, limit],
  );
  return (rows as [string, Date][]).map(([applicationId, notedAt]) => ({ applicationId, notedAt }));
}

/** Whether the application was marked at `since` or later. */
export async function isMarkedDue(reader: Reader, applicationId: string, since: string): Promise<boolean> {
  const rows = await reader.rows(
    'select 1 from cartulary.due_notifications where application_id = $1 and noted_at >= $2',
    [applicationId, since],
  );
  return rows.length > 0;
}

export async function markDue(writer: Writer, applicationId: string, now: string): Promise<void> {
  await writer.write(
    `insert into cartulary.due_notifications as n (application_id, due_at, noted_at) values ($1, $2, $2)
     on conflict (application_id) do update set
       due_at = least(n.due_at, excluded.due_at), noted_at = greatest(n.noted_at, excluded.noted_at)`,
    [applicationId, now],
  );
}

/** Does nothing if the application was marked again since `dueApplications` read it. */
export async function postponeDue(
  writer: Writer,
  { applicationId, notedAt }: DueApplication,
  dueAt: string,
): Promise<void> {
  await writer.write('update cartulary.due_notifications set due_at = $3 where application_id = $1 and noted_at = $2', [
    applicationId,
    notedAt.toISOString(),
    dueAt,
  ]);
}

/** Called when a delivery is due earlier than the list says. */
export async function bringDueForward(writer: Writer, applicationId: string, dueAt: string): Promise<void> {
  await writer.write('update cartulary.due_notifications set due_at = $2 where application_id = $1 and due_at > $2', [
    applicationId,
    dueAt,
  ]);
}

/** Does nothing if the application was marked again since `dueApplications` read it. */
export async function unmarkDue(writer: Writer, { applicationId, notedAt }: DueApplication): Promise<void> {
  await writer.write('delete from cartulary.due_notifications where application_id = $1 and noted_at = $2', [
    applicationId,
    notedAt.toISOString(),
  ]);
}
