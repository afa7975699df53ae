// Which rounds of a job have begun. A job that one node does for all nodes is done by the node that begins the round.

import type { Writer } from '../database/handles.ts';

export interface Round {
  readonly job: string;
  readonly at: string;
  /** No other round may have begun after this. */
  readonly since: string;
}

/** Whether this node does the round. Of several nodes that call this at once, exactly one does. */
export async function beginRound(writer: Writer, { job, at, since }: Round): Promise<boolean> {
  const rows = await writer.write(
    `insert into cartulary.job_rounds (job, begun_at) values ($1, $2)
     on conflict (job) do update set begun_at = excluded.begun_at where job_rounds.begun_at <= $3 returning job`,
    [job, at, since],
  );
  return rows.length > 0;
}

/** For a round that did not finish: the next node that looks begins it again. */
export async function returnRound(writer: Writer, { job, at, since }: Round): Promise<void> {
  await writer.write('update cartulary.job_rounds set begun_at = $3 where job = $1 and begun_at = $2', [
    job,
    at,
    since,
  ]);
}
