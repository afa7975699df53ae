// A node of a Citus cluster is killed, or hangs, while applications are published: each publishing is whole or not there, and
// can be repeated. Run where CARTULARY_TEST_DATABASE_URL names a coordinator of this machine (npm run test:citus).

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { publishApplication, string, type TestApplication } from '../support/application.ts';
import { noOwnCluster, type OwnCluster, ownCluster } from '../support/own-cluster.ts';
import type { OwnPostgres } from '../support/own-postgres.ts';
import { type Reply, startTestServer, type TestServer } from '../support/server.ts';
import { assertNoDebris } from '../support/stored-records.ts';
import { until } from '../support/until.ts';

const TITLE = { id: 'c0000001', name: 'Title', type: 'String' };
const CODE = { id: 'c0000002', name: 'Code', type: 'String' };
const documentOf = (columns: object[]) => ({
  name: 'Test',
  activityLogEnabled: true,
  collections: [{ id: 't0000001', name: 'Things', columns }],
});

const ROUNDS = 3;
/** About as long as both publishings take together. */
const LOST_WITHIN_MS = 900;
const FROZEN_MS = 3_000;
/** Citus settles what a lost node leaves prepared; its own default is a minute. */
const SETTLED_EVERY = '1s';

async function kill(node: OwnPostgres): Promise<void> {
  await node.end('SIGKILL');
  await pause(100);
  await node.start();
}

async function freeze(node: OwnPostgres): Promise<void> {
  node.freeze();
  await pause(FROZEN_MS);
  node.thaw();
}

const skipped = await noOwnCluster();

describe('publishing while a node of the cluster is lost', { skip: skipped ?? false }, () => {
  let cluster: OwnCluster;
  let server: TestServer;
  let app: TestApplication;
  let versions = 0;

  before(async () => {
    cluster = await ownCluster({ 'citus.recover_2pc_interval': SETTLED_EVERY });
    server = await startTestServer({ database: cluster.database });
    app = await publishApplication(server, documentOf([TITLE, CODE]));
  });
  after(async () => {
    await server.close();
    await cluster.database.drop();
  });

  const publish = (id: string, document: object): Promise<Reply> =>
    server.operator('POST', '/applications', { id, ...document });
  /** Other columns and indexes than those of the version before. */
  const nextVersion = () => {
    versions += 1;
    const odd = versions % 2 === 1;
    return documentOf([
      { ...TITLE, searchable: odd, sortable: !odd },
      { ...CODE, unique: odd },
    ]);
  };

  /** A connection to a worker that was killed is noticed when it is next used. */
  async function untilDone(what: string, send: () => Promise<Reply>): Promise<Reply> {
    let reply: Reply | undefined;
    await until(what, async () => {
      reply = await send();
      assert.ok([200, 503].includes(reply.status), reply.text);
      return reply.status === 200;
    });
    return reply!;
  }

  async function assertWhole(id: string): Promise<void> {
    const { body } = await untilDone('it is read', () => server.operator('GET', `/applications/${id}`));
    await assertNoDebris(cluster.database, body);
    await untilDone('it is used', () => server.operator('GET', `/applications/${id}/users`));
  }

  async function assertVersion(document: ReturnType<typeof documentOf>): Promise<void> {
    const { body } = await untilDone('it is read', () => server.operator('GET', `/applications/${app.id}`));
    const flags = (columns: { searchable?: boolean; unique?: boolean }[]) =>
      columns.map(({ searchable = false, unique = false }) => [searchable, unique]);
    assert.deepEqual(flags(body.collections[0].columns), flags(document.collections[0]!.columns));
  }

  async function assertWritable(): Promise<void> {
    const code = randomBytes(8).toString('hex');
    const json = { values: { [TITLE.id]: string('title'), [CODE.id]: string(code) } };
    await untilDone('it is written to', () => app.send('POST', app.records('Things'), { json }));
  }

  const isPublished = async (id: string) => {
    let status = 503;
    await until('it is asked for', async () => {
      ({ status } = await server.operator('GET', `/applications/${id}`));
      return status !== 503;
    });
    assert.ok([200, 404].includes(status), String(status));
    return status === 200;
  };

  const losses: [string, () => OwnPostgres, (node: OwnPostgres) => Promise<void>][] = [
    ['a worker is killed', () => cluster.workers[0]!, kill],
    ['the other worker is killed', () => cluster.workers[1]!, kill],
    ['a worker hangs', () => cluster.workers[0]!, freeze],
    ['the coordinator is killed', () => cluster.coordinator, kill],
    ['the coordinator hangs', () => cluster.coordinator, freeze],
  ];
  for (const [what, node, lose] of losses) {
    it(`is whole or not there when ${what}`, async (t) => {
      const seen: string[] = [];
      for (let round = 0; round < ROUNDS; round++) {
        const id = `p${randomBytes(13).toString('hex')}`;
        const next = nextVersion();
        const publishing = Promise.all([publish(id, documentOf([TITLE])), publish(app.id, next)]);
        await pause((LOST_WITHIN_MS * (round + Math.random())) / ROUNDS);
        await lose(node());
        const replies = await publishing;
        for (const { status, text } of replies) assert.ok([200, 503].includes(status), text);
        await until('all nodes are back', async () => (await server.send('GET', '/readyz')).body.workersAway === 0);
        const [first, changed] = replies.map(({ status }) => status);
        seen.push(`${first} ${changed}`);
        if (await isPublished(id)) await assertWhole(id);
        else assert.notEqual(first, 200);
        if (changed === 200) await assertVersion(next);
        await assertWritable();
        await untilDone('it can be repeated', () => publish(id, documentOf([TITLE])));
        await untilDone('it can be repeated', () => publish(app.id, next));
        await assertWhole(id);
        await assertWhole(app.id);
        await assertWritable();
      }
      t.diagnostic(seen.join(', '));
      await assertNothingLeft();
    });
  }

  /** Every node has the schemas of the applications that are published, and nothing waits for its other half. */
  async function assertNothingLeft(): Promise<void> {
    const published = (await cluster.database.sql('select id from cartulary.applications order by 1')).length;
    for (const node of [cluster.coordinator, ...cluster.workers]) {
      await until('nothing is prepared', async () => (await node.sql('select 1 from pg_prepared_xacts')).length === 0);
      const schemas = await node.sql("select 1 from pg_namespace where nspname like 'app\\_%'");
      assert.equal(schemas.length, published);
    }
  }
});
