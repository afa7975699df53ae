// How far jobs have come with the applications that nobody uses (operations/every-application). Nodes share the position: each
// goes on where the last one has ended.

import type { Reader, Writer } from '../database/handles.ts';

/** The application after which the job goes on. */
export async function getPosition(reader: Reader, job: string): Promise<string> {
  const rows = await reader.rows('select position from cartulary.walks where job = $1', [job]);
  return (rows[0]?.[0] as string | undefined) ?? '';
}

export async function putPosition(writer: Writer, job: string, position: string): Promise<void> {
  await writer.write(
    `insert into cartulary.walks (job, position) values ($1, $2)
     on conflict (job) do update set position = excluded.position`,
    [job, position],
  );
}
