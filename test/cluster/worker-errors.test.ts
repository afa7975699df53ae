// What a Citus coordinator reports about a lost worker, raised here by the tables themselves: the request is answered with
// 503, and the connections to the coordinator, which the other applications need, stay open.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { publishApplication, string, type TestApplication } from '../support/application.ts';
import { createMigratedDatabase, type TestDatabase } from '../support/database.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { schemaOf } from '../support/stored-records.ts';

interface Report {
  readonly code: string;
  readonly message: string;
  /** The error comes from the worker: the coordinator adds a line to the context. */
  readonly fromWorker?: boolean;
}

const LOST: readonly Report[] = [
  {
    code: '08006',
    message:
      'connection to the remote node cartulary@127.0.0.1:9701 failed with the following error: timeout expired, Connection terminated',
  },
  { code: '08006', message: 'could not establish any connections to the node 127.0.0.1:9701 after 5000 ms' },
  { code: '57P01', message: 'terminating connection due to administrator command', fromWorker: true },
  { code: '57P03', message: 'the database system is shutting down', fromWorker: true },
  { code: '25006', message: 'cannot execute INSERT in a read-only transaction', fromWorker: true },
  { code: 'XX000', message: 'could not commit transaction for shard 102008 on any active node' },
  { code: 'XX000', message: 'failure on connection marked as essential: 127.0.0.1:9701' },
  { code: 'XX000', message: 'postmaster was shut down, exiting', fromWorker: true },
];

const ATTEMPTS = 12;

type Moment = 'reading' | 'writing' | 'committing';

describe('an error about a worker', () => {
  let database: TestDatabase;
  let server: TestServer;
  let app: TestApplication;
  let schema: string;

  before(async () => {
    database = await createMigratedDatabase();
    server = await startTestServer({ database });
    app = await publishApplication(server, {
      collections: [{ name: 'Notes', columns: [{ name: 'Title', type: 'String' }] }],
    });
    schema = schemaOf(app.id);
  });
  after(async () => {
    await server.close();
    await database.drop();
  });

  const write = () =>
    app.send('POST', app.records('Notes'), { json: { values: { [app.ids.Notes!.Title!]: string('a') } } });
  const read = () => app.send('GET', app.records('Notes'));
  const together = (request: typeof read) => Promise.all(Array.from({ length: ATTEMPTS }, request));

  /** The server's connections, each by the process that serves it. Not those that publish, which close when they are idle. */
  const connections = () =>
    database.sql(
      `select pid from pg_stat_activity
       where datname = current_database() and application_name = 'cartulary' order by pid`,
    );

  /** Has the collection's table, or another one, raise the error, during `work`. */
  async function raising(
    { code, message, fromWorker }: Report,
    at: Moment,
    work: () => Promise<void>,
    of = app.ids.Notes!.id!,
  ): Promise<void> {
    const table = `${schema}.${of}`;
    // The context of the error holds the name of the function, and so the line that a coordinator adds.
    const name = `${schema}."${fromWorker ? '\nwhile executing command on 127.0.0.1:9701\n' : 'lost'}"`;
    const returns = at === 'reading' ? 'boolean language plpgsql stable' : 'trigger language plpgsql';
    await database.sql(`create function ${name}() returns ${returns} as
      $$ begin raise exception using errcode = '${code}', message = '${message}'; end $$`);
    if (at === 'reading') {
      await database.sql(`alter table ${table} rename to stored`);
      await database.sql(`create view ${table} as select * from ${schema}.stored where ${name}()`);
    } else {
      const kind = at === 'committing' ? 'constraint trigger' : 'trigger';
      const deferred = at === 'committing' ? 'deferrable initially deferred' : '';
      await database.sql(
        `create ${kind} raising after insert on ${table} ${deferred} for each row execute function ${name}()`,
      );
    }
    try {
      await work();
    } finally {
      if (at === 'reading') {
        await database.sql(`drop view ${table}`);
        await database.sql(`alter table ${schema}.stored rename to ${of}`);
      }
      await database.sql(`drop function ${name} cascade`);
    }
  }

  for (const report of LOST) {
    it(`answers 503 and costs no connection: ${report.code} ${report.message.slice(0, 40)}`, async () => {
      for (const at of ['reading', 'writing', 'committing'] as const) {
        const request = at === 'reading' ? read : write;
        // Opens all connections that so many requests use.
        for (const { status, text } of await together(request)) assert.equal(status, 200, text);
        const before = await connections();
        await raising(report, at, async () => {
          for (const reply of [...(await together(request)), ...(await together(request))]) {
            assert.equal(reply.status, 503, `${at}: ${reply.text}`);
            assert.ok(reply.headers.has('retry-after'));
          }
        });
        const kept = new Set((await connections()).flat());
        assert.deepEqual(
          before.flat().filter((pid) => !kept.has(pid)),
          [],
          `connections were given up ${at}`,
        );
        assert.equal((await request()).status, 200);
      }
    });
  }

  it('leaves the operator the use of all other applications', async () => {
    const other = await publishApplication(server, { name: 'Other', collections: [] });
    await database.sql('delete from cartulary.application_sizes');
    await raising(LOST[0]!, 'reading', async () => {
      const { status, text, body } = await server.operator('GET', '/use');
      assert.equal(status, 200, text);
      const sizes = new Map<string, unknown>(
        body.map(({ applicationId, size }: { applicationId: string; size: unknown }) => [applicationId, size]),
      );
      assert.equal(sizes.get(app.id), null);
      assert.notEqual(sizes.get(other.id), null);
      assert.equal((await server.operator('GET', `/applications/${app.id}/use`)).status, 503);
    });
  });

  it('leaves the operator the quotas of all other applications', async () => {
    const limited = await publishApplication(server, { name: 'Limited', plan: 'basic', collections: [] });
    assert.equal((await server.operator('PUT', `/applications/${app.id}/quotas`, { plan: 'basic' })).status, 200);
    // Only those with requests in this hour are asked.
    for (const each of [app, limited]) assert.equal((await each.send('GET', '')).status, 200);
    const list = async () => {
      const { status, text, body } = await server.operator('GET', '/quotas');
      assert.equal(status, 200, text);
      const listed: { applicationId: string }[] = body.groups;
      return { ...body, listed: new Set(listed.map(({ applicationId }) => applicationId)) };
    };
    const before = await list();
    assert.deepEqual([before.unavailable, before.listed], [0, new Set([app.id, limited.id])]);
    const lost = async () => {
      const after = await list();
      assert.deepEqual([after.unavailable, after.listed], [1, new Set([limited.id])]);
      assert.equal(after.total, after.groups.length);
    };
    await raising(LOST[0]!, 'reading', lost, 'quotas');
  });

  it('of the coordinator itself, which ends, gives its connection up', async () => {
    await together(write);
    const before = await connections();
    await raising({ code: 'XX000', message: 'postmaster was shut down, exiting' }, 'writing', async () => {
      assert.equal((await write()).status, 503);
    });
    const kept = new Set((await connections()).flat());
    assert.ok(before.flat().some((pid) => !kept.has(pid)));
  });
});
