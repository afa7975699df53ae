// The database that test servers get copies of: migrated once, for all processes of the suite. On a cluster it is one of every
// node, with the extension, and a copy of it takes a tenth of the time of a new one.

import type pg from 'pg';
import { migrate } from '../../src/store/applications/migrate.ts';
import { registerSystemTables } from '../../src/store/cluster/system-tables.ts';
import { Database } from '../../src/store/database/database.ts';
import { detectEngine } from '../../src/store/database/engine.ts';
import { withClient } from './client.ts';
import { createDatabase, type TestDatabase } from './database.ts';

export interface Template {
  readonly name: string;
  drop(): Promise<void>;
}

/** Called by scripts/suite.mjs, which passes the name on to the tests. */
export async function makeTemplate(): Promise<Template> {
  const database = await createDatabase();
  await migrateDatabase(database.connection);
  const name = database.connection.database!;
  await leaveAlone(database, name);
  return { name, drop: database.drop };
}

async function migrateDatabase(connection: pg.ClientConfig): Promise<void> {
  const fail = (error: Error) => {
    throw error;
  };
  const database = Database.open({
    connection,
    connectionsMax: 2,
    requestMs: 30_000,
    onConnectionError: fail,
    onConnected: () => undefined,
  });
  try {
    database.engine = (await detectEngine(database.system)).engine;
    await migrate(database);
    if (database.engine === 'citus') await registerSystemTables(database.system);
  } finally {
    await database.close();
  }
}

/** No database can be copied while something is connected to it, and a cluster keeps connections to its own. */
async function leaveAlone({ nodes }: TestDatabase, name: string): Promise<void> {
  for (const node of nodes) {
    await withClient({ ...node, database: 'postgres' }, async (client) => {
      await client.query(`alter database ${name} with allow_connections false`);
      await client.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name]);
    });
  }
}
