// The log of a server that was given secrets of every kind, at the level that tells most: every line is JSON, those of
// requests can be found by their request, and no secret is in any.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { errorForLog } from '../../src/events/log-errors.ts';
import { Floods } from '../../src/events/log-floods.ts';
import { requestLine } from '../../src/events/request-line.ts';
import { fault } from '../../src/faults.ts';
import { RequestScope } from '../../src/request/request-scope.ts';
import { isCitus } from '../support/citus.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { type ServerProcess, spawnServer } from '../support/process.ts';
import { type SendOptions, sendTo } from '../support/server.ts';
import { until } from '../support/until.ts';

const secret = (kind: string): string => `S3cret-${kind}-0123456789`;
const KEY = secret('operatorKey-0123456789');

describe('the log', () => {
  let database: TestDatabase;
  let folder: string;
  let server: ServerProcess;
  const secrets = new Set<string>();
  const keep = (kind: string): string => {
    secrets.add(secret(kind));
    return secret(kind);
  };
  const send = (method: string, path: string, options?: SendOptions) => sendTo(server.address, method, path, options);
  const operator = (method: string, path: string, json?: object) =>
    send(method, `/operator/v1${path}`, { token: KEY, ...(json && { json }) });
  const lines = () =>
    server
      .output()
      .split('\n')
      .filter((line) => line.startsWith('{'));
  const entries = () => lines().map((line) => JSON.parse(line) as Record<string, unknown>);
  let applicationId = '';
  let userId = '';
  let token = '';

  before(async () => {
    database = await createDatabase();
    folder = await mkdtemp(join(tmpdir(), 'ct-logs-'));
    secrets.add(KEY);
    const { host, port, user, database: name } = database.connection;
    const place = `/${name}?host=${encodeURIComponent(host ?? '')}`;
    const environment = {
      CARTULARY_DATA: folder,
      // The AWS SDK's about Node 20.
      NODE_NO_WARNINGS: '1',
      CARTULARY_LOG_LEVEL: 'trace',
      CARTULARY_OPERATOR_KEY: KEY,
      // Nobody asks for the password on this machine.
      DATABASE_URL: `postgres://${user}:${keep('database')}@localhost:${port}${place}`,
      CARTULARY_ATTACHMENTS: `s3://bucket?endpoint=http://127.0.0.1:9&accessKeyId=${keep('s3id')}&secretAccessKey=${keep('s3key')}`,
      CARTULARY_SMTP_URL: `smtp://someone:${keep('smtp')}@127.0.0.1:9?tls=never`,
      CARTULARY_MAIL_FROM: 'records@example.com',
      CARTULARY_PUBLIC_URL: 'http://127.0.0.1',
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://collector:${keep('collector')}@127.0.0.1:9`,
      OTEL_EXPORTER_OTLP_HEADERS: `authorization=${keep('otlp')}`,
    };
    server = await spawnServer(environment, ['serve'], { expectFailures: true });
  });
  after(async () => {
    await server.end('SIGTERM');
    await rm(folder, { recursive: true, force: true });
    await database.drop();
  });

  it('has a line for every request with all that is needed to find it', async () => {
    const published = await operator('POST', '/applications', {
      name: 'Logged',
      collections: [{ name: 'A', columns: [{ name: 'T', type: 'String', unique: true }] }],
    });
    applicationId = published.body.application.id;
    const people = `/applications/${applicationId}/users`;
    const flags = { admin: true, apiAccess: true, managementApiAccess: true, profile: { name: 'Standard' } };
    const person = { name: 'Ada', email: 'ada@example.com', password: keep('password'), ...flags };
    userId = (await operator('POST', people, person)).body.id;
    token = (await operator('POST', `${people}/${userId}/tokens`, { name: 'test' })).body.token;
    secrets.add(token.slice(token.indexOf('.') + 1));
    const reply = await send('GET', `/v1/${applicationId}?note=${keep('query')}`, {
      token,
      headers: { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` },
    });
    assert.equal(reply.status, 200);
    const requestId = reply.headers.get('x-request-id');
    await until('its line', () => entries().some((entry) => entry.requestId === requestId));
    const { time, milliseconds, databaseMilliseconds, ...entry } =
      entries().find((one) => one.requestId === requestId) ?? {};
    assert.deepEqual(entry, {
      level: 30,
      requestId,
      method: 'GET',
      route: '/v1/:applicationId',
      status: 200,
      statements: 0,
      applicationId,
      userId,
      traceId: 'a'.repeat(32),
      msg: 'request',
    });
    assert.ok(typeof milliseconds === 'number' && typeof databaseMilliseconds === 'number');
    assert.match(String(time), /^\d{4}-\d\d-\d\dT/);
  });

  it('tells the steps of a publishing without members that say nothing', () => {
    const steps = entries().filter(({ msg }) => msg === 'application.publishing');
    assert.ok(steps.length > 0);
    for (const { step, collectionId, total, ...rest } of steps) {
      assert.equal(typeof step, 'string');
      assert.ok(collectionId !== null && total !== 0, JSON.stringify({ collectionId, total }));
      assert.equal('done' in rest, total !== undefined);
    }
  });

  it('names the route of a request that matches none as the metrics do', async () => {
    const requestId = (await send('GET', '/nothing/here')).headers.get('x-request-id');
    const line = () => entries().find((entry) => entry.requestId === requestId);
    await until('its line', () => line() !== undefined);
    assert.equal(line()?.route, 'none');
  });

  it('has the requests of probes and scrapers at debug level only', async () => {
    for (const path of ['/healthz', '/readyz']) await send('GET', path);
    const figures = (key: string) =>
      fetch(`${server.address}/metrics`, { headers: { authorization: `Bearer ${key}` } });
    assert.deepEqual([(await figures(KEY)).status, (await figures('wrong')).status], [200, 401]);
    const routine = () => entries().filter(({ route }) => /^.(?:healthz|readyz|metrics)$/.test(String(route)));
    await until('their lines', () => routine().length === 4);
    assert.deepEqual(
      routine().map(({ level, route, traceId }) => [level, route, traceId]),
      [
        [20, '/healthz', undefined],
        [20, '/readyz', undefined],
        [20, '/metrics', undefined],
        [30, '/metrics', undefined],
      ],
    );
  });

  it('keeps every secret to itself, also where things fail', async () => {
    const basic = (text: string) => ({ authorization: `Basic ${Buffer.from(text).toString('base64')}` });
    const wrong = keep('wrong');
    const at = `/v1/${applicationId}`;
    const {
      body: { collections },
    } = await send('GET', at, { token });
    const [{ id: collectionId, columns }] = collections as [{ id: string; columns: { id: string }[] }];
    const records = `${at}/collections/${collectionId}/records`;
    const value = keep('value');
    const record = { values: { [columns[0]?.id ?? '']: { type: 'String', value } } };
    // What the database complains of has the value in it: a constraint that the server does not know.
    await database.sql(
      `alter table app_${applicationId}.${collectionId} add constraint odd check (rec not like '%broken%')`,
    );
    const broken = { values: { [columns[0]?.id ?? '']: { type: 'String', value: `broken ${value}` } } };
    const replies = [
      await send('POST', records, { token, json: record }),
      await send('POST', records, { token, json: record }),
      await send('POST', records, { token, json: broken }),
      await send('GET', at, { token: wrong }),
      await send('GET', at, { headers: basic(`${userId}:${secret('password')}`) }),
      await send('GET', at, { headers: basic(`${userId}:${wrong}`) }),
      await send('GET', `${at}?token=${wrong}`, { headers: { cookie: `cartulary=${keep('cookie')}`, 'x-odd': wrong } }),
      await send('GET', `${records}?search=${keep('search')}%22`, { token }),
      await send('POST', records, { token, raw: `{"${keep('body')}`, headers: { 'content-type': 'application/json' } }),
      await send('POST', `${at}/collections/${collectionId}/attachments`, { token, raw: keep('file') }),
      await send('GET', '/operator/v1/applications', { token: wrong }),
      await send('GET', `/${wrong}/%zz`),
    ];
    assert.deepEqual(
      replies.map(({ status }) => status),
      [200, 400, 500, 401, 200, 401, 401, 400, 400, 503, 401, 400],
      server.output(),
    );
    const signedIn = await send('POST', `${at}/session`, { json: { userId, password: secret('password') } });
    for (const cookie of signedIn.headers.getSetCookie()) secrets.add(/=([^;]*)/.exec(cookie)?.[1] ?? '');
    assert.equal(signedIn.status, 200, signedIn.text);
    const reset = `${at}/session/passwordReset`;
    const asked = await send('POST', reset, { json: { userId } });
    assert.equal(asked.status, 204, asked.text);
    await send('PUT', reset, { json: { token: keep('reset'), password: keep('newPassword') } });
    await until('the failure', () => entries().some(({ msg }) => msg === 'request.failed'));
    await until('the collector', () => entries().some(({ msg }) => msg === 'traces.unsent'));
    const failed = entries().find(({ msg }) => msg === 'request.failed') as { err: Record<string, unknown> };
    // A coordinator does not pass the constraint of its worker on.
    const constraint = (await isCitus()) ? undefined : 'odd';
    assert.deepEqual([failed.err.code, failed.err.constraint], ['23514', constraint], 'the cause is told');
    const refused = () => entries().filter(({ msg, times }) => msg === 'request.refused' && Number(times) > 0);
    const sum = () => refused().reduce((all, { times }) => all + Number(times), 0);
    const away = () => send('POST', `${at}/collections/${collectionId}/attachments`, { token, raw: 'x' });
    for (const { status } of await Promise.all(Array.from({ length: 10 }, away))) assert.equal(status, 503);
    await until('all to be counted', () => sum() === 11);
    assert.ok(refused().length < 8, 'a line for many');
    for (const { code, reason, err } of refused()) {
      assert.deepEqual([code, reason, typeof err], ['UNAVAILABLE', 'storage', 'object'], 'the cause is told as well');
    }
    const each = entries().filter(({ msg, status }) => msg === 'request' && status === 503);
    assert.deepEqual(
      each.map(({ code, reason }) => [code, reason]),
      Array.from({ length: 11 }, () => ['UNAVAILABLE', 'storage']),
    );
    const output = server.output();
    for (const one of secrets) {
      assert.ok(one.length > 8, one);
      for (const form of [one, Buffer.from(one).toString('base64').slice(0, 20), encodeURIComponent(one)]) {
        assert.ok(!output.includes(form), `${one} is in the log: ${lines().find((line) => line.includes(form))}`);
      }
    }
    const others = output.split('\n').filter((line) => line !== '' && !line.startsWith('{'));
    for (const line of others) assert.match(line, /^Cartulary is ready/);
  });
});

describe('errors in the log', () => {
  it('are shown by a list of members, without values and requests', () => {
    const inner = Object.assign(new Error('invalid input syntax for type integer: "12 Main Street"'), {
      code: '22P02',
      detail: 'Key (email)=(ada@example.com) already exists.',
      where: 'unnamed portal parameter $1 = ...',
      table: 'users',
    });
    const outer = Object.assign(new Error('outer', { cause: inner }), {
      $response: { headers: { authorization: 'x' } },
    });
    const text = JSON.stringify(errorForLog(outer));
    for (const value of ['Main Street', 'ada@', 'portal', 'authorization']) assert.ok(!text.includes(value), value);
    const { cause } = errorForLog(outer);
    assert.deepEqual(
      [cause?.message, cause?.code, cause?.table],
      ['invalid input syntax for type integer: "…"', '22P02', 'users'],
    );
    assert.match(cause?.stack ?? '', /^at /);
  });
});

describe('lines of the log', () => {
  it('are written in their order when the process ends at once', () => {
    const collecting = new URL('../../src/events/log-lines.js', import.meta.url).href;
    for (const lines of [3, 3_000]) {
      const program = `import { collectLines } from '${collecting}';
        const write = collectLines();
        for (let i = 0; i < ${lines}; i += 1) write(\`\${i}\${' '.repeat(100)}\\n\`);
        process.exit();`;
      const { stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' });
      assert.deepEqual(
        stderr.split('\n').map((line) => line.trim()),
        [...Array.from({ length: lines }, (_, index) => String(index)), ''],
      );
    }
  });

  it('tell the time in milliseconds and of a refused request why', (t) => {
    const lineAt = (now: number) => {
      t.mock.timers.setTime(now);
      const scope = new RequestScope('id', 1_000);
      scope.problem = fault('UNAVAILABLE', { reason: 'deadline' });
      const request = { requestId: 'id', method: 'GET', route: '/v1', scope, status: 503, milliseconds: 1.26 };
      return JSON.parse(requestLine(30, request));
    };
    t.mock.timers.enable({ apis: ['Date'] });
    for (const now of [0, 7, 999, 1_000, 1_784_000_000_045]) {
      assert.deepEqual(lineAt(now), {
        ...{ level: 30, time: new Date(now).toISOString(), requestId: 'id', method: 'GET', route: '/v1', status: 503 },
        ...{ milliseconds: 1.3, code: 'UNAVAILABLE', reason: 'deadline', statements: 0, databaseMilliseconds: 0 },
        msg: 'request',
      });
    }
  });
});

describe('floods in the log', () => {
  it('log the first at once, then the latest with their number, and start over after a quiet time', (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] });
    const told: [string, number][] = [];
    const floods = new Floods<string>((latest, times) => told.push([latest, times]));
    for (const one of ['a', 'b', 'c']) floods.add('kind', one, 1_000);
    floods.add('other', 'x', 1_000);
    assert.deepEqual(told.splice(0), [
      ['a', 1],
      ['x', 1],
    ]);
    t.mock.timers.tick(1_000);
    floods.add('kind', 'd', 1_000);
    assert.deepEqual(told.splice(0), [['c', 2]]);
    t.mock.timers.tick(2_000);
    floods.add('kind', 'e', 1_000);
    assert.deepEqual(told, [
      ['d', 1],
      ['e', 1],
    ]);
  });
});
