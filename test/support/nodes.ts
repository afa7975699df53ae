// What a test has to ask or do where the rows of an application are: on plain PostgreSQL in its database, on a Citus cluster on a
// worker, in the table that stands for the application's.

import { withClient } from './client.ts';
import type { TestDatabase } from './database.ts';

/** The rows of a statement on every node. Nodes have sessions, locks and statistics of their own. */
export async function everywhere({ nodes }: TestDatabase, text: string, params: unknown[] = []): Promise<unknown[][]> {
  const found: unknown[][] = [];
  for (const node of nodes) {
    await withClient(node, async (client) => {
      // Each makes its own functions and sequences: a worker refuses what the coordinator would send to all.
      if (nodes.length > 1) await client.query('set citus.enable_ddl_propagation = off');
      found.push(...(await client.query({ text, values: params, rowMode: 'array' })).rows);
    });
  }
  return found;
}

/** A statement on the table that has the rows, `%s` in the text: a trigger, for example, which a cluster refuses otherwise. */
export async function onTable(database: TestDatabase, table: string, text: string): Promise<void> {
  if (database.nodes.length === 1) {
    await database.sql(text.replaceAll('%s', table));
    return;
  }
  const rows = await database.sql('select success, result from run_command_on_shards($1::regclass, $2)', [table, text]);
  for (const [isDone, result] of rows) if (isDone !== true) throw new Error(String(result));
}

/** How many sessions of the database wait for a lock. */
export async function countWaiting(database: TestDatabase): Promise<number> {
  const text = `select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  return (await everywhere(database, text)).length;
}
