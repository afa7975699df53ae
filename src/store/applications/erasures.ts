// Removed applications whose attachment files are still to be removed. The row is written in the transaction that removes
// the application, so that a crash leaves no forgotten files.

import type { Reader, Writer } from '../database/handles.ts';

export interface Erasure {
  readonly applicationId: string;
  readonly notedAt: Date;
}

/** Per round of the job; the next round continues. */
const ERASURES_MAX = 100;

export async function insertErasure(handle: Reader, applicationId: string, notedAt: string): Promise<void> {
  await handle.rows(
    `insert into cartulary.erasures (application_id, noted_at) values ($1, $2)
     on conflict (application_id) do update set noted_at = excluded.noted_at, tried_at = null`,
    [applicationId, notedAt],
  );
}

/** Erasures that were not tried since then, the longest waiting first. */
export async function dueErasures(reader: Reader, since: string): Promise<Erasure[]> {
  const rows = await reader.rows(
    `select application_id, noted_at from cartulary.erasures where tried_at is null or tried_at <= $1
     order by tried_at nulls first, application_id limit ${ERASURES_MAX}`,
    [since],
  );
  return (rows as [string, Date][]).map(([applicationId, notedAt]) => ({ applicationId, notedAt }));
}

/** False if another node has claimed it after `before`, or it is done. Without `before`, renews the claim. */
export async function claimErasure(
  writer: Writer,
  { applicationId, notedAt }: Erasure,
  { at, before }: { at: string; before?: string },
): Promise<boolean> {
  const rows = await writer.write(
    `update cartulary.erasures set tried_at = $3 where application_id = $1 and noted_at = $2
       and (tried_at is null or tried_at <= $4) returning application_id`,
    [applicationId, notedAt.toISOString(), at, before ?? at],
  );
  return rows.length > 0;
}

/** Does nothing if an application with the same identifier was published and removed meanwhile. */
export async function removeErasure(writer: Writer, { applicationId, notedAt }: Erasure): Promise<void> {
  await writer.write('delete from cartulary.erasures where application_id = $1 and noted_at = $2', [
    applicationId,
    notedAt.toISOString(),
  ]);
}
