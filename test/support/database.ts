// A database of its own for each test file, on the server that the suite was given.

import { randomBytes } from 'node:crypto';
import pg from 'pg';

export interface TestDatabase {
  readonly connection: pg.ClientConfig;
  /** One statement on a connection of its own, as a superuser would run it. */
  sql(text: string, params?: unknown[]): Promise<unknown[][]>;
  drop(): Promise<void>;
}

function serverUrl(): string {
  const url = process.env.CARTULARY_TEST_DATABASE_URL;
  if (url === undefined) throw new Error('CARTULARY_TEST_DATABASE_URL is not set; run the tests with npm test');
  return url;
}

async function withClient<T>(config: pg.ClientConfig, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(config);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** `locale`: the plainest there is, unless what depends on letters is tested; '' for that of the whole server. */
export const createDatabase = (locale = "lc_collate 'C' lc_ctype 'C'"): Promise<TestDatabase> =>
  copyDatabase(`template0 encoding 'UTF8' ${locale}`);

/** With the tables of a server that has started: a copy of the suite's template, where there is one. */
export function createMigratedDatabase(): Promise<TestDatabase> {
  const template = process.env.CARTULARY_TEST_TEMPLATE;
  return template === undefined ? createDatabase() : copyDatabase(template);
}

/** Copied as files: through the log it takes ten times the work. */
async function copyDatabase(template: string): Promise<TestDatabase> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  const admin: pg.ClientConfig = { connectionString: serverUrl() };
  await withClient(admin, (client) => client.query(`create database ${name} template ${template} strategy file_copy`));
  const { host, port, user, password } = new pg.Client(admin);
  const connection: pg.ClientConfig = {
    host,
    port,
    database: name,
    ...(user ? { user } : {}),
    ...(password ? { password } : {}),
  };
  return {
    connection,
    sql: async (text, params = []) => {
      const result = await withClient(connection, (client) => client.query({ text, values: params, rowMode: 'array' }));
      return result.rows as unknown[][];
    },
    drop: async () => {
      await withClient(admin, (client) => client.query(`drop database if exists ${name} with (force)`));
    },
  };
}
