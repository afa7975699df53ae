// Notes of applications that were removed: what is stored of their attachments is still to be removed. Written in the
// transaction that removes the application, so that no crash between the two leaves bytes that nobody looks for.

import type { Reader } from './db.ts';

export interface Erasure {
  readonly applicationId: string;
  readonly notedAt: Date;
}

/** Few at a time: what is behind them has its turn when they are done. */
const ERASURES_MAX = 100;

export async function noteErasure(handle: Reader, applicationId: string, notedAt: string): Promise<void> {
  await handle.rows(
    `insert into cartulary.erasures (application_id, noted_at) values ($1, $2)
     on conflict (application_id) do update set noted_at = excluded.noted_at`,
    [applicationId, notedAt],
  );
}

export async function listErasures(reader: Reader): Promise<Erasure[]> {
  const rows = await reader.rows(
    `select application_id, noted_at from cartulary.erasures where $1 order by application_id limit ${ERASURES_MAX}`,
    [true],
  );
  return (rows as [string, Date][]).map(([applicationId, notedAt]) => ({ applicationId, notedAt }));
}

/** Unless the application was there again meanwhile, and was removed again. */
export async function removeErasure(handle: Reader, { applicationId, notedAt }: Erasure): Promise<void> {
  await handle.rows('delete from cartulary.erasures where application_id = $1 and noted_at = $2', [
    applicationId,
    notedAt.toISOString(),
  ]);
}
