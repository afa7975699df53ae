// A Citus cluster of a test's own, whose nodes it may freeze and kill: made with the programs of the coordinator that the suite
// was given, if they are on this machine.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Binaries } from '../../src/embedded/binaries.ts';
import { isCitus, joinNodes } from './citus.ts';
import { withClient } from './client.ts';
import type { TestDatabase } from './database.ts';
import { type OwnPostgres, ownPostgres } from './own-postgres.ts';

export interface OwnCluster {
  readonly coordinator: OwnPostgres;
  readonly workers: readonly OwnPostgres[];
  /** Dropping it ends the nodes. */
  readonly database: TestDatabase;
}

const WORKERS = 2;
const SETTINGS = {
  shared_preload_libraries: 'citus',
  wal_level: 'logical',
  max_connections: 200,
  max_prepared_transactions: 200,
  shared_buffers: '64MB',
};

/** Why there can be none; undefined if there can. */
export async function noOwnCluster(): Promise<string | undefined> {
  if (!(await isCitus())) return 'this PostgreSQL is no Citus';
  return (await findPrograms()) === undefined ? 'the programs of the cluster are not on this machine' : undefined;
}

async function findPrograms(): Promise<Binaries | undefined> {
  const folder = await withClient(
    { connectionString: process.env.CARTULARY_TEST_DATABASE_URL! },
    async (client) => (await client.query("select setting from pg_config where name = 'BINDIR'")).rows[0].setting,
  );
  const [initdb, postgres] = [join(folder, 'initdb'), join(folder, 'postgres')];
  return existsSync(initdb) && existsSync(postgres) ? { initdb, postgres } : undefined;
}

export async function ownCluster(settings: Record<string, string | number> = {}): Promise<OwnCluster> {
  const binaries = await findPrograms();
  if (binaries === undefined) throw new Error('the programs of the cluster are not on this machine');
  const nodes = await Promise.all(
    Array.from({ length: WORKERS + 1 }, () => ownPostgres({ binaries, settings: { ...SETTINGS, ...settings } })),
  );
  await Promise.all(nodes.map((node) => node.start()));
  const [coordinator, ...workers] = nodes as [OwnPostgres, ...OwnPostgres[]];
  const { host, port } = coordinator.connection as { host: string; port: number };
  const { connection } = coordinator;
  await joinNodes(
    connection,
    { host, port },
    workers.map((worker) => ({ ...worker.connection, host })),
  );
  const sql = (text: string, params: unknown[] = []) =>
    withClient(connection, async (client) => {
      const result = await client.query({ text, values: params, rowMode: 'array' });
      return result.rows as unknown[][];
    });
  const drop = async () => {
    for (const node of nodes) await node.end('SIGQUIT');
  };
  return { coordinator, workers, database: { connection, nodes: nodes.map((node) => node.connection), sql, drop } };
}
