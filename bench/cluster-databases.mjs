// @ts-check
// Two databases on the nodes of a Citus cluster: one with the extension on all of them, and one without it on a worker, which is
// plain PostgreSQL of the same version on the same machine.

import pg from 'pg';

const NAMES = { cluster: 'cartulary_bench_cluster', plain: 'cartulary_bench_plain' };

/**
 * @template T
 * @param {string} url
 * @param {(client: pg.Client) => Promise<T>} work
 */
async function withClient(url, work) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** @param {string} url @param {string} name @param {{ host: string, port: number }} node */
function databaseAt(url, name, { host, port }) {
  const address = new URL(url);
  address.hostname = host;
  address.port = String(port);
  address.pathname = `/${name}`;
  return address.href;
}

/**
 * @template T
 * @param {(urls: { plain: string, cluster: string }) => Promise<T>} work after it they are dropped
 */
export async function withClusterDatabases(work) {
  const url = process.env.CARTULARY_TEST_DATABASE_URL ?? '';
  const nodes = await withClient(url, async (client) => {
    const text = 'select nodename as host, nodeport as port from pg_dist_node where isactive order by groupid';
    return /** @type {{ host: string, port: number }[]} */ ((await client.query(text)).rows);
  });
  const [coordinator, worker] = nodes;
  if (coordinator === undefined || worker === undefined) throw new Error('the cluster has no worker');
  const own = decodeURIComponent(new URL(url).pathname.slice(1));
  const drop = async () => {
    for (const node of nodes) {
      await withClient(databaseAt(url, own, node), async (client) => {
        for (const name of Object.values(NAMES)) await client.query(`drop database if exists ${name} with (force)`);
      });
    }
  };
  await drop();
  try {
    for (const node of nodes) {
      await withClient(databaseAt(url, own, node), (client) => client.query(`create database ${NAMES.cluster}`));
      await withClient(databaseAt(url, NAMES.cluster, node), (client) => client.query('create extension citus'));
    }
    const cluster = databaseAt(url, NAMES.cluster, coordinator);
    await withClient(cluster, async (client) => {
      await client.query('select citus_set_coordinator_host($1, $2)', [coordinator.host, coordinator.port]);
      for (const { host, port } of nodes.slice(1)) await client.query('select citus_add_node($1, $2)', [host, port]);
    });
    await withClient(databaseAt(url, own, worker), (client) => client.query(`create database ${NAMES.plain}`));
    return await work({ plain: databaseAt(url, NAMES.plain, worker), cluster });
  } finally {
    await drop();
  }
}
