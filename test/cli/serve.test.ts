// `cartulary serve` as a process: how it starts, waits, refuses and ends.

import assert from 'node:assert/strict';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';
import { VERSION } from '../../src/cli/version.ts';
import { assertPlain, databaseUrl, type Running, run, start, withFolder } from '../support/command.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { sendTo } from '../support/server.ts';

const KEY = 'serve-test-operator-key-0123456789';
const READY = /^Cartulary is ready at (http:\/\/\S+)\/v1$/m;

describe('cartulary serve', { concurrency: 2 }, () => {
  let database: TestDatabase;

  before(async () => {
    database = await createDatabase();
  });
  after(async () => {
    await database.drop();
  });

  const environment = (more: Record<string, string> = {}) => ({
    DATABASE_URL: databaseUrl(database),
    CARTULARY_PORT: '0',
    CARTULARY_OPERATOR_KEY: KEY,
    ...more,
  });

  const addressOf = async (running: Running): Promise<string> => (await running.until(READY))[1]!;

  async function end(running: Running, signal: 'SIGTERM' | 'SIGINT' = 'SIGTERM'): Promise<void> {
    running.child.kill(signal);
    const { code, stderr } = await running.finished;
    assert.equal(code, 0, stderr);
  }

  async function listening(server: Server, port = 0): Promise<number> {
    server.listen(port, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    return (server.address() as AddressInfo).port;
  }

  it('gives its event loop the processor before its other threads, in one process and in several', async () => {
    const nicenessOf = async (pid: number, thread: string) => {
      const stat = await readFile(`/proc/${pid}/task/${thread}/stat`, 'utf8');
      return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16]);
    };
    for (const workers of ['1', '2']) {
      await withFolder(async (cwd) => {
        const running = start(['serve'], { cwd, env: environment({ CARTULARY_WORKERS: workers }) });
        await addressOf(running);
        const pid = running.child.pid!;
        const children = (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).trim().split(' ').map(Number);
        for (const server of workers === '1' ? [pid] : children) {
          const others = (await readdir(`/proc/${server}/task`)).filter((thread) => thread !== String(server));
          const own = await nicenessOf(server, String(server));
          assert.ok(others.length >= 5, 'those of V8 and of libuv');
          for (const thread of others) assert.equal(await nicenessOf(server, thread), Math.min(19, own + 5));
        }
        await end(running);
      });
    }
  });

  it('makes an operator key for its owner alone, and keeps it', async () => {
    await withFolder(async (cwd) => {
      const { CARTULARY_OPERATOR_KEY: _, ...env } = environment({ CARTULARY_DATA: join(cwd, 'deep', 'data') });
      const file = join(cwd, 'deep', 'data', 'operator.key');
      const keys: string[] = [];
      for (const signal of ['SIGTERM', 'SIGINT'] as const) {
        const running = start(['serve'], { cwd, env });
        const address = await addressOf(running);
        assert.equal((await stat(file)).mode & 0o777, 0o600);
        const key = (await readFile(file, 'utf8')).trim();
        assert.ok(key.length >= 32);
        keys.push(key);
        assert.equal((await sendTo(address, 'GET', '/readyz')).status, 200);
        assert.equal((await sendTo(address, 'GET', '/operator/v1/applications', { token: key })).status, 200);
        assert.ok(!running.said().includes(key), 'the key is not printed');
        if (signal === 'SIGINT') {
          const env = { CARTULARY_DATA: join(cwd, 'deep', 'data') };
          const listed = await run(['applications', 'list'], { cwd, env });
          assert.equal(listed.code, 0, `it finds the server by the data folder: ${listed.stderr}`);
          await writeFile(file, 'another-operator-key-0123456789-abcdef');
          const refused = await run(['applications', 'list'], { cwd, env });
          assertPlain(refused, /did not prove that it knows the operator key from \S+data\/operator\.key\./m);
        }
        await end(running, signal);
        assert.equal([...running.said().matchAll(/^Stopping\.$/gm)].length, 1, running.said());
        const started = /^\{.*"server\.started"\}$/m.exec(running.said())?.[0] ?? '{}';
        const { level, address: told, version, pid } = JSON.parse(started);
        assert.deepEqual([level, told, version, pid], [30, address, VERSION, running.child.pid]);
        const ends = [...running.said().matchAll(/^\{"level":30,.*"msg":"(server\.stop\w+)"\}$/gm)];
        assert.deepEqual(
          ends.map(([, event]) => event),
          ['server.stopping', 'server.stopped'],
        );
        assert.match(ends[0]?.[0] ?? '', /"signal":"SIG\w+"/);
        assert.match(ends[1]?.[0] ?? '', /"milliseconds":\d+/);
        assert.ok(!(await readdir(join(cwd, 'deep', 'data'))).includes('server.json'), 'it is gone with the server');
      }
      assert.equal(keys[0], keys[1]);
    });
  });

  it('goes on when nobody reads what it says', async () => {
    await withFolder(async (cwd) => {
      const running = start(['serve'], { cwd, env: environment({ CARTULARY_DATA: cwd }) });
      const address = await addressOf(running);
      running.child.stderr?.destroy();
      assert.equal((await sendTo(address, 'GET', '/readyz')).status, 200);
      // It says that it is stopping, to nobody.
      await end(running);
    });
  });

  it('takes commands of the operator until it has drained', async () => {
    await withFolder(async (cwd) => {
      const env = environment({ CARTULARY_DATA: cwd, CARTULARY_DRAIN_SECONDS: '30' });
      const running = start(['serve'], { cwd, env });
      const address = await addressOf(running);
      running.child.kill('SIGTERM');
      await running.until(/server\.stopping/);
      const listed = await run(['applications', 'list', '--url', address], { cwd, env });
      assert.equal(listed.code, 0, listed.stderr);
      running.child.kill('SIGKILL');
      await running.finished;
    });
  });

  it('stops at settings that it does not know or cannot use', async () => {
    await withFolder(async (cwd) => {
      const unknown = await run(['serve'], { cwd, env: environment({ CARTULARY_POTR: '1' }) });
      assertPlain(unknown, /^CARTULARY_POTR is not a setting of Cartulary \(did you mean CARTULARY_PORT\?\)$/m);
      const wrong = await run(['serve'], {
        cwd,
        env: environment({ CARTULARY_PORT: '70000', DATABASE_URL: 'mysql://user:hunter2@host' }),
      });
      assertPlain(wrong, /^CARTULARY_PORT must be a whole number from 0 to 65535, not "70000"$/m);
      assert.match(wrong.stderr, /^DATABASE_URL must begin with postgres:\/\//m);
      assert.doesNotMatch(wrong.stderr, /hunter2/);
      const guessable = await run(['serve'], { cwd, env: environment({ CARTULARY_OPERATOR_KEY: 'k'.repeat(31) }) });
      assertPlain(guessable, /^CARTULARY_OPERATOR_KEY must have 32 to 512 visible ASCII characters$/m);
      const { CARTULARY_OPERATOR_KEY: _key, ...kept } = environment({ CARTULARY_DATA: cwd });
      for (const key of [`${'k'.repeat(31)}\n`, '']) {
        await writeFile(join(cwd, 'operator.key'), key);
        assertPlain(
          await run(['serve'], { cwd, env: kept }),
          /^The operator key in \S+operator\.key must have 32 to 512 visible ASCII characters\. If you delete the file, the server creates a new key\.$/m,
        );
      }
      await writeFile(join(cwd, 'file'), '');
      const { CARTULARY_OPERATOR_KEY: _, ...keyless } = environment({ CARTULARY_DATA: join(cwd, 'file') });
      assertPlain(await run(['serve'], { cwd, env: keyless }), /^Cannot use the data folder .*file: /);
      const unusable = await run(['serve'], {
        cwd,
        env: environment({ CARTULARY_ATTACHMENTS: join(cwd, 'file', 'x') }),
      });
      assertPlain(unusable, /^The folder of attachments .*file\/x cannot be read and written: /m);
    });
  });

  it('says plainly that its port is in use', async () => {
    const other = createServer();
    const port = await listening(other);
    await withFolder(async (cwd) => {
      const finished = await run(['serve'], { cwd, env: environment({ CARTULARY_PORT: String(port) }) });
      assertPlain(finished, new RegExp(`^Port ${port} is in use`, 'm'));
      assert.doesNotMatch(finished.stdout, READY);
      // Before it prepares a database of its own.
      const early = await run(['serve'], { cwd, env: { CARTULARY_PORT: String(port), CARTULARY_DATA: 'untouched' } });
      assertPlain(early, new RegExp(`^Port ${port} is in use.*\n$`));
      assert.ok(!(await readdir(cwd)).includes('untouched'));
    });
    await new Promise((resolve) => other.close(resolve));
  });

  for (const signals of [['SIGTERM'], ['SIGINT', 'SIGINT'], ['SIGHUP']] as const) {
    it(`lets the requests under way finish when it is asked to end by ${signals.join(' and ')}`, () =>
      underWay(signals));
  }

  /** Ctrl-C arrives twice below npm: from the terminal, and passed on. */
  async function underWay(signals: readonly ('SIGTERM' | 'SIGINT' | 'SIGHUP')[]): Promise<void> {
    await withFolder(async (cwd) => {
      const name = `Under way ${signals.join()}`;
      const running = start(['serve'], { cwd, env: environment() });
      const address = new URL(await addressOf(running));
      const body = JSON.stringify({ name, collections: [] });
      const sent = request({
        host: address.hostname,
        port: address.port,
        method: 'POST',
        path: '/operator/v1/applications',
        agent: new Agent({ keepAlive: true }),
        headers: {
          authorization: `Bearer ${KEY}`,
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
          expect: '100-continue',
        },
      });
      const answered = new Promise<number | undefined>((resolve, reject) => {
        sent.on('response', (response) => {
          assert.equal(response.headers.connection, 'close');
          response.resume().on('end', () => resolve(response.statusCode));
        });
        sent.on('error', reject);
      });
      sent.flushHeaders();
      await new Promise((resolve) => sent.once('continue', resolve));
      for (const signal of signals) running.child.kill(signal);
      await untilRefused(address);
      sent.end(body);
      assert.equal(await answered, 200);
      const { code, stderr } = await running.finished;
      assert.equal(code, 0, stderr);
      const rows = await database.sql('select 1 from cartulary.applications where strpos(definition, $1) > 0', [name]);
      assert.equal(rows.length, 1);
    });
  }

  async function untilRefused({ hostname, port }: URL): Promise<void> {
    for (let tries = 0; tries < 1_000; tries++) {
      const open = await new Promise<boolean>((resolve) => {
        const socket = connect(Number(port), hostname);
        socket.on('connect', () => resolve(true)).on('error', () => resolve(false));
        socket.on('connect', () => socket.destroy());
      });
      if (!open) return;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    throw new Error('it went on taking connections');
  }

  it('waits for a database that does not answer yet', async () => {
    const { host = 'localhost', port = 5432 } = database.connection;
    const sockets = new Set<Socket>();
    const door = createServer((socket) => {
      const onward = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
      for (const one of [socket, onward]) sockets.add(one.on('error', () => undefined));
      socket.pipe(onward).pipe(socket);
    });
    const doorPort = await listening(door);
    await new Promise((resolve) => door.close(resolve));
    try {
      await withFolder(async (cwd) => {
        const url = databaseUrl(database, { host: '127.0.0.1', port: doorPort });
        const running = start(['serve'], { cwd, env: environment({ DATABASE_URL: url }) });
        const refuses = `^Waiting for the database: 127\\.0\\.0\\.1:${doorPort} refuses connections\\.$`;
        await running.until(new RegExp(refuses, 'm'));
        assert.doesNotMatch(running.said(), READY);
        await listening(door, doorPort);
        const address = await addressOf(running);
        assert.equal((await sendTo(address, 'GET', '/readyz')).status, 200);
        assert.equal(running.said().match(new RegExp(refuses, 'gm'))?.length, 1, running.said());
        assert.match(running.said(), new RegExp(`"server":"127\\.0\\.0\\.1:${doorPort}","msg":"database\\.connected"`));
        await end(running);
      });
    } finally {
      for (const socket of sockets) socket.destroy();
      door.close();
    }
  });

  it('says for which of several servers it waits, and why, without the password', async () => {
    const standby = `standby_${process.pid}`;
    await database.sql(`create role ${standby} login password 'hunter2'`);
    // As a standby does, of which there is none here.
    await database.sql(`alter role ${standby} set default_transaction_read_only = on`);
    try {
      await withFolder(async (cwd) => {
        const { host, port, database: name } = database.connection;
        const hosts = `host=127.0.0.1,${encodeURIComponent(String(host))}&port=1,${port}`;
        const url = `postgres://${standby}:hunter2@/${name}?${hosts}`;
        const running = start(['serve'], { cwd, env: environment({ DATABASE_URL: url }) });
        await running.until(
          /^Waiting for the database: 127\.0\.0\.1:1 refuses connections; \S+ answers but takes no writes\.$/m,
        );
        await end(running);
        assert.doesNotMatch(running.said(), /hunter2/);
      });
    } finally {
      await database.sql(`drop role ${standby}`);
    }
  });

  it('says that another server is at the migrations', async () => {
    await withFolder(async (cwd) => {
      // That of store/applications/migrate.
      const holder = new pg.Client(database.connection);
      await holder.connect();
      await holder.query('select pg_advisory_lock($1)', [0x63617274]);
      const running = start(['serve'], { cwd, env: environment() });
      await running.until(/^Waiting for the database: another server is migrating it\.$/m);
      await holder.end();
      await addressOf(running);
      await end(running);
    });
  });

  it('says plainly that the database is not there', async () => {
    await withFolder(async (cwd) => {
      const url = databaseUrl(database, { name: 'no_such_database' });
      const finished = await run(['serve'], { cwd, env: environment({ DATABASE_URL: url }) });
      assertPlain(finished, /^The database refused: database "no_such_database" does not exist$/m);
    });
  });

  it('says plainly what the role lacks', async () => {
    const role = `lacking_${process.pid}`;
    await database.sql(`create role ${role} login password 'lacking'`);
    try {
      await withFolder(async (cwd) => {
        const url = databaseUrl({
          ...database,
          connection: { ...database.connection, user: role, password: 'lacking' },
        });
        const finished = await run(['serve'], { cwd, env: environment({ DATABASE_URL: url }) });
        assertPlain(
          finished,
          /^The database refused: permission denied for (?:database|schema) .*grant create on database/m,
        );
      });
    } finally {
      await database.sql(`drop role ${role}`);
    }
  });

  it('says plainly that its host is not one', async () => {
    await withFolder(async (cwd) => {
      const finished = await run(['serve'], { cwd, env: environment({ CARTULARY_HOST: 'no.such.host.invalid' }) });
      assertPlain(
        finished,
        /^Cannot listen on no\.such\.host\.invalid:0 \(\w+\)\. Set CARTULARY_HOST and CARTULARY_PORT to /m,
      );
    });
  });

  it('blames the settings of the address at which it cannot listen', async () => {
    const other = createServer();
    other.listen(0, '127.0.0.2');
    await new Promise((resolve) => other.once('listening', resolve));
    const { port } = other.address() as AddressInfo;
    try {
      await withFolder(async (cwd) => {
        const metrics = (host: string, more: Record<string, string> = {}) =>
          run(['serve'], {
            cwd,
            env: environment({ CARTULARY_METRICS_HOST: host, CARTULARY_METRICS_PORT: String(port), ...more }),
          });
        assertPlain(
          await metrics('no.such.host.invalid'),
          /^Cannot listen on no\.such\.host\.invalid:\d+ \(\w+\)\. Set CARTULARY_METRICS_HOST and CARTULARY_METRICS_PORT/m,
        );
        // The same port of another address is taken.
        assertPlain(
          await metrics('127.0.0.2', { CARTULARY_PORT: String(port) }),
          new RegExp(
            `^Port ${port} is in use: another program listens on 127\\.0\\.0\\.2:.* Set CARTULARY_METRICS_PORT `,
            'm',
          ),
        );
        assertPlain(
          await metrics('127.0.0.1', { CARTULARY_HOST: '127.0.0.2', CARTULARY_PORT: String(port) }),
          new RegExp(`^Port ${port} is in use: another program listens on 127\\.0\\.0\\.2:.* Set CARTULARY_PORT `, 'm'),
        );
      });
    } finally {
      other.close();
    }
  });
});
