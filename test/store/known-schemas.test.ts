// Connections that have used many applications are replaced: the database keeps what a connection knows of each table.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import type pg from 'pg';
import { Database } from '../../src/store/database/database.ts';
import { KnownSchemas } from '../../src/store/database/known-schemas.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { until } from '../support/until.ts';

describe('a connection that has used many applications', () => {
  let server: TestDatabase;
  let database: Database;
  let options: Pick<Parameters<typeof Database.open>[0], 'connection' | 'onConnectionError'>;
  /** Its connections may know more. */
  let larger: Database;
  before(async () => {
    server = await createDatabase();
  });
  after(() => server.drop());
  beforeEach(() => {
    options = { connection: server.connection, onConnectionError: () => undefined };
    database = Database.open({ ...options, connectionsMax: 4, schemasMax: 3 });
    larger = Database.open({ ...options, connectionsMax: 4, schemasMax: 300 });
  });
  afterEach(() => Promise.all([database.close(), larger.close()]));

  const names = (count: number) => Array.from({ length: count }, (_, n) => `p${n}`);
  const read = async (application: string) =>
    (await database.application(application).rows('select pg_backend_pid(), $1::text', [application]))[0]!;
  const write = async (application: string, on = database) =>
    (await on.application(application).write('select pg_backend_pid()', []))[0]![0];
  const sessions = async () =>
    (
      await server.sql(
        "select pid from pg_stat_activity where application_name = 'cartulary' and datname = current_database()",
      )
    ).length;

  it('is replaced while reads go on, and none of them fails', async () => {
    const asked = Array.from({ length: 40 }, () => names(25)).flat();
    const replies = await Promise.all(asked.map(read));
    assert.deepEqual(
      replies.map(([, application]) => application),
      asked,
    );
    const first = replies[0]![0];
    await until('another connection', async () => {
      for (const application of names(25)) if ((await read(application))[0] !== first) return true;
      return false;
    });
    await until('the end of the replaced ones', async () => (await sessions()) === 1);
  });

  it('is replaced after a write, and stays for the same applications', async () => {
    const first = new Map<string, unknown>();
    for (const application of names(3)) first.set(application, await write(application));
    for (let turn = 0; turn < 20; turn++) {
      for (const application of names(3)) assert.equal(await write(application), first.get(application));
    }
    const many = new Set<unknown>();
    for (const application of names(20)) many.add(await write(application));
    assert.ok(many.size > 3, `${many.size} connections were used`);
    await until('the end of the replaced ones', async () => (await sessions()) <= 3);
  });

  it('shares further applications with another one, although nothing waits', async () => {
    const first = await write('first', larger);
    let shared: string | undefined;
    await until('another connection', async () => {
      const application = `p${randomUUID()}`;
      if ((await write(application, larger)) !== first) shared = application;
      return shared !== undefined;
    });
    assert.equal(await write('first', larger), first);
    assert.notEqual(await write(shared!, larger), first);
  });

  it('is chosen again by the applications that it knows', async () => {
    const applications = names(2);
    const [one, other] = applications as [string, string];
    // While the transaction has its connection, the other application needs another one.
    const together = await database
      .application(one)
      .transaction(async (tx) => [(await tx.rows('select pg_backend_pid()'))[0]![0], await write(other)]);
    assert.notEqual(together[0], together[1]);
    for (let turn = 0; turn < 5; turn++) {
      for (const [n, application] of applications.entries()) assert.equal(await write(application), together[n]);
    }
  });

  /** Each has a connection until all have one, and `then` has happened. */
  const together = async (applications: readonly string[], then: () => void, on = database): Promise<unknown[]> => {
    const { promise: all, resolve: opened } = promiseWithResolve();
    let missing = applications.length;
    return Promise.all(
      applications.map((application) =>
        on.application(application).transaction(async (tx) => {
          const [[pid] = []] = await tx.rows('select pg_backend_pid()');
          missing -= 1;
          if (missing === 0) {
            then();
            opened();
          }
          await all;
          return pid;
        }),
      ),
    );
  };

  // As many as there are connections that are not lanes, and two more for each: each may know three.
  const holding = names(3);
  const others = names(9).slice(3);

  it('leaves new applications to the connections that know fewer', async () => {
    const pids = await together(holding, () => undefined);
    assert.equal(new Set(pids).size, 3);
    const first: unknown[] = [];
    for (const application of others) first.push(await write(application));
    for (const pid of pids) assert.equal(first.filter((other) => other === pid).length, 2);
    for (let turn = 0; turn < 3; turn++) {
      for (const [n, application] of others.entries()) assert.equal(await write(application), first[n]);
    }
  });

  it('is waited for by requests whose application it knows, but not for long', async (t) => {
    // Of six connections that are not lanes one application may have half beside others.
    const six = Database.open({ ...options, connectionsMax: 8, schemasMax: 3 });
    t.after(() => six.close());
    await together(names(6), () => undefined, six);
    /** The connections of a transaction and of a write that comes meanwhile. The transaction ends at once, or after the write. */
    const both = (isLong: boolean) =>
      six.application('p0').transaction(async (tx) => {
        const [[pid] = []] = await tx.rows('select pg_backend_pid()');
        const other = write('p0', six);
        return { pid, other: isLong ? await other : other };
      });
    let waited = 0;
    for (let turn = 0; turn < 20; turn++) {
      const { pid, other } = await both(false);
      if ((await other) === pid) waited += 1;
    }
    assert.ok(waited > 10, `${waited} of 20 waited`);
    const { pid, other } = await both(true);
    assert.notEqual(other, pid);
  });

  it('goes to a request whose application it knows, and the first that waits is not passed over for long', async () => {
    await together(holding, () => undefined);
    for (const application of others) await write(application);
    const order: string[] = [];
    const waiting: Promise<unknown>[] = [];
    await together(holding, () => {
      for (const application of ['new', ...others]) {
        const granted = database.application(application).transaction(async (tx) => {
          order.push(application);
          await tx.rows('select 1');
        });
        waiting.push(granted);
      }
    });
    await Promise.all(waiting);
    const place = order.indexOf('new');
    assert.ok(place > 0 && place < others.length, `${order}`);
  });
});

describe('how many applications a connection may know', () => {
  const limitsOf = (known: KnownSchemas): number[] =>
    Array.from({ length: 9 }, () => {
      const client = {} as pg.Client;
      for (let count = 1; ; count++) {
        known.add(client, `p${count}`);
        if (known.isFull(client)) return count - 1;
      }
    });

  it('is the same for lanes, of which each application uses two', () => {
    assert.deepEqual(new Set(limitsOf(new KnownSchemas(320, { apart: false }))), new Set([320]));
  });

  it('differs where connections share them, so that they are not all replaced at once', () => {
    const limits = limitsOf(new KnownSchemas(320, { apart: true }));
    assert.deepEqual(limits, [320, 310, 300, 290, 280, 270, 260, 250, 320]);
  });
});

function promiseWithResolve() {
  let resolve = () => {};
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
