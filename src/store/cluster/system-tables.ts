// Registers the system tables with a Citus cluster. A transaction over the system's tables and an application's (publishing, for
// example) is atomic in a crash only if the cluster knows both.

import type { Reader, Writer } from '../database/handles.ts';
import { relationsIn, SYSTEM } from '../database/schemas.ts';

/** The advisory lock for registering; the number is "regi" in ASCII. */
const LOCK = 0x72656769;

const UNREGISTERED = `select c.oid::regclass::text from pg_class c
  where c.oid = any(${relationsIn(`'${SYSTEM.schema}'`)}) and c.relkind = 'r'
    and not exists (select from pg_dist_partition p where p.logicalrelid = c.oid) order by 1`;

/** At every start: an upgrade may have added tables. Returns those that it registered. */
export async function registerSystemTables(system: Writer): Promise<string[]> {
  if ((await listUnregistered(system)).length === 0) return [];
  return system.transaction(async (tx) => {
    await tx.removeTimeout();
    await tx.rows('select pg_advisory_xact_lock($1)', [LOCK]);
    const registered: string[] = [];
    // One brings along those that it refers to, and that refer to it.
    for (let [table] = await listUnregistered(tx); table !== undefined; [table] = await listUnregistered(tx)) {
      await tx.rows('select citus_add_local_table_to_metadata($1::regclass, cascade_via_foreign_keys => true)', [
        table,
      ]);
      registered.push(table);
    }
    return registered;
  });
}

export async function listUnregistered(system: Reader): Promise<string[]> {
  return ((await system.rows(UNREGISTERED)) as [string][]).map(([table]) => table);
}
