// Which rounds of a job have begun, over all servers: what one of them does for all is done by one of them.

import type { Writer } from '../database/handles.ts';

export interface Round {
  readonly job: string;
  readonly at: string;
  /** Since then no other may have begun. */
  readonly since: string;
}

/** Whether this server is to do it. Of several that ask at once, one is. */
export async function beginRound(writer: Writer, { job, at, since }: Round): Promise<boolean> {
  const rows = await writer.write(
    `insert into cartulary.job_rounds (job, begun_at) values ($1, $2)
     on conflict (job) do update set begun_at = excluded.begun_at where job_rounds.begun_at <= $3 returning job`,
    [job, at, since],
  );
  return rows.length > 0;
}

/** Of a round that was not done to its end: whoever looks next does it. */
export async function returnRound(writer: Writer, { job, at, since }: Round): Promise<void> {
  await writer.write('update cartulary.job_rounds set begun_at = $3 where job = $1 and begun_at = $2', [
    job,
    at,
    since,
  ]);
}
