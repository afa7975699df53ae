// A database of its own for each test file, on the server that the suite was given.

import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { clusterAt, joinNodes } from './citus.ts';
import { withClient } from './client.ts';

export interface TestDatabase {
  readonly connection: pg.ClientConfig;
  /** The same database on every node of a cluster, the coordinator first; of plain PostgreSQL there is one. */
  readonly nodes: readonly pg.ClientConfig[];
  /** One statement on a connection of its own, as a superuser would run it. */
  sql(text: string, params?: unknown[]): Promise<unknown[][]>;
  drop(): Promise<void>;
}

function serverUrl(): string {
  const url = process.env.CARTULARY_TEST_DATABASE_URL;
  if (url === undefined) throw new Error('CARTULARY_TEST_DATABASE_URL is not set; run the tests with npm test');
  return url;
}

/** `locale`: the plainest there is, unless what depends on letters is tested; '' for that of the whole server. */
export const createDatabase = (locale = PLAINEST): Promise<TestDatabase> =>
  copyDatabase(`template0 encoding 'UTF8' ${locale}`, { isJoined: false });

const PLAINEST = "lc_collate 'C' lc_ctype 'C'";

/** With the tables of a server that has started: a copy of the suite's template, where there is one. */
export function createMigratedDatabase(): Promise<TestDatabase> {
  const template = process.env.CARTULARY_TEST_TEMPLATE;
  return template === undefined ? createDatabase() : copyDatabase(template, { isJoined: true });
}

/**
 * Copied as files: through the log it takes ten times the work. `isJoined`: on a cluster, the template is one of every node, and
 * knows the others.
 */
async function copyDatabase(template: string, { isJoined }: { isJoined: boolean }): Promise<TestDatabase> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  const admin: pg.ClientConfig = { connectionString: serverUrl() };
  const { host, port, user, password } = new pg.Client(admin);
  const login = { ...(user ? { user } : {}), ...(password ? { password } : {}) };
  const connection: pg.ClientConfig = { host, port, database: name, ...login };
  const cluster = await clusterAt(admin);
  const workers = cluster.workers.map((worker) => ({ ...worker, ...login }));
  const maintenance = [admin, ...workers.map((worker) => ({ ...worker, database: 'postgres' }))];
  for (const server of maintenance) {
    await withClient(server, (client) =>
      client.query(`create database ${name} template ${template} strategy file_copy`),
    );
  }
  if (cluster.coordinator !== undefined && !isJoined) await joinNodes(connection, cluster.coordinator, workers);
  return {
    connection,
    nodes: [connection, ...workers.map((worker) => ({ ...worker, database: name }))],
    sql: async (text, params = []) => {
      const result = await withClient(connection, (client) => client.query({ text, values: params, rowMode: 'array' }));
      return result.rows as unknown[][];
    },
    drop: async () => {
      for (const server of maintenance) {
        await dropDatabase(server, name);
      }
    },
  };
}

const DROP_TRIES_MAX = 20;
const DROP_PAUSE_MS = 250;

/** A node of a cluster may connect again between the end of its sessions and the drop (55006). */
async function dropDatabase(server: pg.ClientConfig, name: string): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await withClient(server, (client) => client.query(`drop database if exists ${name} with (force)`));
      return;
    } catch (error) {
      if ((error as { code?: string }).code !== '55006' || tries === DROP_TRIES_MAX) throw error;
      await pause(DROP_PAUSE_MS);
    }
  }
}
