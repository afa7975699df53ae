// The database that test servers get copies of: migrated once, for all processes of the suite.

import pg from 'pg';
import { migrate } from '../../src/store/applications/migrate.ts';
import { Database } from '../../src/store/database/database.ts';
import { detectEngine } from '../../src/store/database/engine.ts';

const NAME = 'migrated_template';

/** Called by scripts/suite.mjs, which passes the name on to the tests. */
export async function makeTemplate(url: string): Promise<string> {
  const admin = new pg.Client({ connectionString: url });
  await admin.connect();
  try {
    await admin.query(`create database ${NAME} template template0 encoding 'UTF8' lc_collate 'C' lc_ctype 'C'`);
    const { host, port, user } = admin;
    await migrateDatabase({ host, port, database: NAME, ...(user ? { user } : {}) });
    return NAME;
  } finally {
    await admin.end();
  }
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
  } finally {
    await database.close();
  }
}
