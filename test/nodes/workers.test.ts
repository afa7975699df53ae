// `cartulary serve --workers 2`: one server on one port, in several processes.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { after, before, describe, it } from 'node:test';
import type { TestApplication } from '../support/application.ts';
import type { ServerProcess } from '../support/process.ts';
import { OPERATOR_KEY, sendTo } from '../support/server.ts';
import { until } from '../support/until.ts';
import { askOnce, childrenOf, lives, openScene, publishAt, type Scene } from './scene.ts';

async function fetchFigures(address: string): Promise<{ text: string }> {
  const headers = { authorization: `Bearer ${OPERATOR_KEY}`, connection: 'close' };
  const response = await fetch(`${address}/metrics`, { headers });
  assert.equal(response.status, 200);
  return { text: await response.text() };
}

describe('cartulary serve --workers 2', () => {
  let scene: Scene;
  let server: ServerProcess;
  let app: TestApplication;
  const workers = () => childrenOf(server.child.pid ?? 0);

  before(async () => {
    scene = await openScene();
    const settings = { CARTULARY_LOG_LEVEL: 'info', CARTULARY_DRAIN_SECONDS: '1', CARTULARY_METRICS_PORT: '0' };
    server = await scene.start(settings, ['serve', '--workers', '2']);
    app = await publishAt(server.address, []);
  });
  after(() => scene.close());

  const ask = (token: string) => askOnce(server.address, `/v1/${app.id}`, token);
  /** The replies of both processes; connections alternate between them. */
  const askBoth = async (token: string): Promise<number[]> => {
    const statuses = new Map<string, number>();
    for (let tries = 0; tries < 20 && statuses.size < 2; tries++) {
      const { node, status } = await ask(token);
      statuses.set(node, status);
    }
    return [...statuses.values()];
  };

  it('serves with two processes, and reports once that it is ready', async () => {
    assert.equal(workers().length, 2);
    assert.deepEqual(await askBoth(app.admin.token), [200, 200]);
    assert.equal(server.output().match(/^Cartulary is ready/gm)?.length, 1);
  });

  it('refuses on all processes a token revoked on one', async () => {
    const person = await app.addPerson('Revoked');
    assert.deepEqual(await askBoth(person.token), [200, 200]);
    const path = `/operator/v1/applications/${app.id}/users/${person.id}/tokens/${person.token.split('.')[0]}`;
    assert.equal((await sendTo(server.address, 'DELETE', path, { token: OPERATOR_KEY })).status, 204);
    await until('both to refuse', async () => (await askBoth(person.token)).join() === '401,401');
  });

  it('reports the figures of all processes, whichever is scraped', async () => {
    const counted = async () => {
      const { text } = await fetchFigures(server.address);
      return [...text.matchAll(/^cartulary_request_duration_seconds_count\{[^}]*route="\/healthz"[^}]*\} (\d+)$/gm)]
        .map(([, count]) => Number(count))
        .reduce((sum, count) => sum + count, 0);
    };
    const answered = new Set<string>();
    for (let n = 0; n < 6; n++) answered.add((await askOnce(server.address, '/healthz', '')).node);
    assert.equal(answered.size, 2);
    for (let n = 0; n < 4; n++) assert.equal(await counted(), 6);
    const open = server.output().match(/^Metrics without a key are at (http:\S+)$/gm) ?? [];
    assert.equal(open.length, 1, 'the port that was picked is told once');
    const { status } = await fetch(open[0]!.split(' ').at(-1)!, { headers: { connection: 'close' } });
    assert.equal(status, 200);
  });

  it('replaces a killed worker, and serves meanwhile', async () => {
    const [killed = 0, other = 0] = workers();
    process.kill(killed, 'SIGKILL');
    await until('another worker', () => !workers().includes(killed) && workers().length === 2);
    assert.equal((await ask(app.admin.token)).status, 200);
    assert.ok(workers().includes(other), 'the other goes on');
    await until('both to serve', async () => (await askBoth(app.admin.token)).join() === '200,200');
    assert.match(server.output(), /"worker.lost"/);
    assert.match((await fetchFigures(server.address)).text, /^cartulary_workers_lost_total 1$/m);
  });

  it('keeps serving for a while after a request to stop, and leaves no process', async () => {
    const before = workers();
    const ended = server.end('SIGTERM');
    const notReady = async () => {
      const { status, headers, body } = await sendTo(server.address, 'GET', '/readyz');
      if (status === 200) return false;
      assert.deepEqual(
        [status, headers.get('connection'), body],
        [503, 'close', { code: 'UNAVAILABLE', params: { reason: 'stopping' } }],
      );
      return true;
    };
    await until('it to say so', notReady);
    assert.equal((await ask(app.admin.token)).status, 200, 'all else is served');
    assert.match(server.output(), /^Stopping; serving for another 1 s\. Press Ctrl-C again to stop at once\.$/m);
    assert.equal(await ended, 0, server.output());
    assert.deepEqual(before.filter(lives), []);
  });

  it('does not outlive its first process', async () => {
    server = await scene.start({ CARTULARY_WORKERS: '2' });
    const before = workers();
    assert.equal(before.length, 2);
    await server.end('SIGKILL');
    await until('the workers to be gone', () => before.filter(lives).length === 0);
  });

  it('says in one sentence why it cannot start', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const port = String((other.address() as AddressInfo).port);
    await assert.rejects(scene.start({ CARTULARY_PORT: port }, ['serve', '--workers', '2']), (error: Error) => {
      assert.match(error.message, /^ended with 1 before it was ready:\nPort \d+ is in use: [^\n]*\n$/);
      return true;
    });
    other.close();
    await assert.rejects(
      scene.start({}, ['serve', '--workers', '0']),
      /option '--workers <number>' argument '0' is invalid\. --workers must be a whole number from 1 to 64\.\n$/,
    );
  });
});
