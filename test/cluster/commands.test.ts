// `cartulary cluster …` against a database. On a cluster (npm run test:citus) it moves applications that are written to.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { publishApplication, string, type TestApplication } from '../support/application.ts';
import { isCitus } from '../support/citus.ts';
import { withClient } from '../support/client.ts';
import { assertPlain, type Finished, run, withFolder } from '../support/command.ts';
import { createDatabase, createMigratedDatabase, type TestDatabase } from '../support/database.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';

const onCitus = await isCitus();

function urlOf({ connection }: TestDatabase): string {
  const { host = '', port, user = '', database, password } = connection;
  const login = `${encodeURIComponent(user)}${typeof password === 'string' ? `:${encodeURIComponent(password)}` : ''}`;
  return `postgres://${login}@/${database}?host=${encodeURIComponent(host)}&port=${port}`;
}

async function cartulary(args: readonly string[], DATABASE_URL?: string): Promise<Finished> {
  let finished: Finished | undefined;
  await withFolder(async (cwd) => {
    finished = await run(args, { cwd, input: '', env: DATABASE_URL === undefined ? {} : { DATABASE_URL } });
  });
  return finished!;
}

describe('the commands about a cluster, without one', () => {
  it('ask for the coordinator', async () => {
    assertPlain(await cartulary(['cluster', 'status']), /Set DATABASE_URL to the coordinator/, 'usage');
  });

  it('say that plain PostgreSQL has no workers', { skip: onCitus && 'this is a Citus cluster' }, async () => {
    const database = await createMigratedDatabase();
    try {
      const status = await cartulary(['cluster', 'status'], urlOf(database));
      assertPlain(status, /plain PostgreSQL, which has no workers/, 'failed');
    } finally {
      await database.drop();
    }
  });
});

describe('the commands about a cluster', { skip: onCitus ? false : 'this PostgreSQL is no Citus' }, () => {
  let database: TestDatabase;
  let server: TestServer;
  let app: TestApplication;

  before(async () => {
    database = await createDatabase();
    server = await startTestServer({ database });
    app = await publishApplication(server, {
      collections: [{ name: 'Notes', columns: [{ name: 'Title', type: 'String' }] }],
    });
  });
  after(async () => {
    await server.close();
    await database.drop();
  });

  interface Held {
    readonly worker: string;
    readonly reachable: boolean;
    readonly applications: number;
    readonly bytes: number | null;
  }
  async function status(): Promise<Held[]> {
    const { code, stdout, stderr } = await cartulary(['cluster', 'status', '--json'], urlOf(database));
    assert.equal(code, 0, stderr);
    return JSON.parse(stdout);
  }

  /** Calls `work` while connections of the coordinator to the worker are taken and hear nothing. */
  async function withHungWorker(worker: string, work: () => Promise<void>): Promise<void> {
    const [host = '', port = ''] = worker.split(':');
    const sockets: Socket[] = [];
    const silent = createServer((socket) => {
      sockets.push(socket.on('error', () => undefined));
    }).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const leadTo = (from: number, to: number) =>
      database.sql('update pg_dist_node set nodeport = $2 where nodename = $3 and nodeport = $1', [from, to, host]);
    const { port: silentPort } = silent.address() as AddressInfo;
    await leadTo(Number(port), silentPort);
    try {
      await work();
    } finally {
      await leadTo(silentPort, Number(port));
      for (const socket of sockets) socket.destroy();
      silent.close();
    }
  }

  it('show the sizes of workers, and soon that the one of a worker that hangs is unknown', async (t) => {
    const [hung, other] = (await status()) as [Held, Held];
    if (!hung.worker.startsWith('127.0.0.1:')) return t.skip('the cluster is on other machines');
    assert.ok(Number(hung.bytes) > 1_000_000 && Number(other.bytes) > 1_000_000, 'both told');
    await withHungWorker(hung.worker, async () => {
      const begun = performance.now();
      const shown = await status();
      // Citus itself waits for half a minute.
      assert.ok(performance.now() - begun < 15_000);
      assert.deepEqual(
        shown.map(({ reachable, bytes }) => [reachable, Number(bytes) > 1_000_000]),
        [
          [false, false],
          [true, true],
        ],
      );
      assert.equal(shown[0]?.bytes, null);
      const { stdout } = await cartulary(['cluster', 'status'], urlOf(database));
      assert.equal(stdout.match(/ unknown$/gm)?.length, 1, stdout);
    });
  });

  it('move an application that is written to, and no client notices', async () => {
    const target = (await status()).find(({ applications }) => applications === 0);
    assert.ok(target !== undefined, 'a worker without applications');
    let isMoving = true;
    const acknowledged: string[] = [];
    const writing = (async () => {
      while (isMoving) {
        const json = { values: { [app.ids.Notes!.Title!]: string('a') } };
        const reply = await app.send('POST', app.records('Notes'), { json });
        assert.equal(reply.status, 200, reply.text);
        acknowledged.push(reply.body.id);
      }
    })();
    try {
      const moved = await cartulary(['cluster', 'move', app.id, target.worker], urlOf(database));
      assert.equal(moved.code, 0, moved.stderr);
    } finally {
      isMoving = false;
      await writing;
    }
    assert.equal((await status()).find(({ worker }) => worker === target.worker)?.applications, 1);
    for (const id of acknowledged) assert.equal((await app.send('GET', app.records('Notes', id))).status, 200);
  });

  const publishWith = (sortable: boolean) => {
    const title = { id: app.ids.Notes!.Title, name: 'Title', type: 'String', sortable };
    const notes = { id: app.ids.Notes!.id, name: 'Notes', columns: [title] };
    return server.operator('POST', '/applications', { id: app.id, name: 'Test', collections: [notes] });
  };
  const moveAway = async () => {
    const target = (await status()).find(({ applications }) => applications === 0)!.worker;
    return cartulary(['cluster', 'move', app.id, target], urlOf(database));
  };
  const isPublishing = async () => (await database.sql('select from cartulary.publishing')).length > 0;
  const isRunning = async (text: string) =>
    (await database.sql('select from pg_stat_activity where query like $1 and pid <> pg_backend_pid()', [text]))
      .length > 0;

  /** Runs `work` while no statement that changes tables gets at the one of the application. */
  async function withTablesKept<T>(work: () => Promise<T>): Promise<T> {
    return withClient(database.connection, async (locker) => {
      await locker.query(`begin; lock table app_${app.id}.${app.ids.Notes!.id} in share update exclusive mode`);
      return work();
    });
  }

  it('move an application after the publish that is in progress', async () => {
    const { publishing, moving } = await withTablesKept(async () => {
      const published = publishWith(true);
      await until('the publish', isPublishing);
      const moved = moveAway();
      await until('the move to wait', () => isRunning('%pg_try_advisory_lock%'));
      return { publishing: published, moving: moved };
    });
    const published = await publishing;
    assert.equal(published.status, 200, published.text);
    const { code, stdout, stderr } = await moving;
    assert.equal(code, 0, stderr);
    assert.match(stdout, /is being published, moved or removed\. The move begins after that\./);
  });

  it('let a publish begin after the move that is in progress', async () => {
    const { publishing, moving } = await withTablesKept(async () => {
      const moved = moveAway();
      await until('the move', () => isRunning('%citus_schema_move%'));
      const published = publishWith(false);
      await until('the publish to wait', () => isRunning('%pg_try_advisory_lock%'));
      assert.equal(await isPublishing(), false);
      return { publishing: published, moving: moved };
    });
    const { code, stderr } = await moving;
    assert.equal(code, 0, stderr);
    const published = await publishing;
    assert.equal(published.status, 200, published.text);
  });

  it('spread applications, and refuse what is not there', async () => {
    const rebalanced = await cartulary(['cluster', 'rebalance'], urlOf(database));
    assert.equal(rebalanced.code, 0, rebalanced.stderr);
    assert.match(rebalanced.stdout, /spread evenly/);
    const nowhere = await cartulary(['cluster', 'move', app.id, '127.0.0.1:1'], urlOf(database));
    assertPlain(nowhere, /no worker 127\.0\.0\.1:1/, 'notFound');
    const unreachable = await cartulary(['cluster', 'add-node', '127.0.0.1:1'], urlOf(database));
    assertPlain(unreachable, /cannot do that now/, 'unavailable');
  });
});
