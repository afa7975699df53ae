// What has to be asked or done on a cluster where the rows of a table are, because it concerns files and indexes.

import type { Writer } from './handles.ts';

/** What the command returned; `%s` in it stands for the table that has the rows. Through the coordinator, which finds it. */
export async function runOnShard(writer: Writer, table: string, command: string): Promise<string> {
  const rows = await writer.transaction((tx) =>
    tx.rows('select success, result from run_command_on_shards($1::regclass, $2)', [table, command]),
  );
  const [isDone, result] = (rows[0] ?? [true, '']) as [boolean, string];
  if (!isDone) throw new Error(`a command on the shard of ${table} failed: ${result}`);
  return result;
}
