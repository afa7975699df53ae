// Databases on a Citus cluster, when CARTULARY_TEST_DATABASE_URL names a database of its coordinator: each node gets a
// database of the same name with the extension, and the coordinator is told of the others.

import type pg from 'pg';
import { withClient } from './client.ts';

export interface Node {
  readonly host: string;
  readonly port: number;
}

interface Cluster {
  /** Undefined on plain PostgreSQL. */
  readonly coordinator: Node | undefined;
  readonly workers: readonly Node[];
}

let known: Promise<Cluster> | undefined;

/** The nodes that the database of the suite's address knows. */
export function clusterAt(config: pg.ClientConfig): Promise<Cluster> {
  known ??= readNodes(config);
  return known;
}

function readNodes(config: pg.ClientConfig): Promise<Cluster> {
  return withClient(config, async (client) => {
    const { rowCount } = await client.query("select from pg_extension where extname = 'citus'");
    if (rowCount === 0) return { coordinator: undefined, workers: [] };
    const { rows } = await client.query('select groupid, nodename, nodeport from pg_dist_node order by nodeid');
    const nodes = rows.map(({ groupid, nodename, nodeport }) => ({ groupid, host: nodename, port: nodeport }));
    const coordinator = nodes.find(({ groupid }) => groupid === 0);
    if (coordinator === undefined)
      throw new Error('the coordinator does not know its own address: call citus_set_coordinator_host');
    return {
      coordinator,
      workers: nodes.filter(({ groupid }) => groupid !== 0).map(({ host, port }) => ({ host, port })),
    };
  });
}

/** `connection`: of the new database, on the coordinator. */
export async function joinNodes(
  connection: pg.ClientConfig,
  coordinator: Node,
  workers: readonly (Node & pg.ClientConfig)[],
): Promise<void> {
  for (const node of [connection, ...workers.map((worker) => ({ ...worker, database: connection.database! }))]) {
    await withClient(node, (client) => client.query('create extension citus'));
  }
  await withClient(connection, async (client) => {
    await client.query('select citus_set_coordinator_host($1, $2)', [coordinator.host, coordinator.port]);
    for (const { host, port } of workers) await client.query('select citus_add_node($1, $2)', [host, port]);
  });
}

/** Whether the suite runs against a cluster. */
export async function isCitus(): Promise<boolean> {
  const connectionString = process.env.CARTULARY_TEST_DATABASE_URL;
  return connectionString !== undefined && (await clusterAt({ connectionString })).coordinator !== undefined;
}
