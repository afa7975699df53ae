// What the first process does if workers cannot start. The workers here are programs of one line.

import assert from 'node:assert/strict';
import cluster from 'node:cluster';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { Workers } from '../../src/cli/workers.ts';
import type { Observation } from '../../src/events/events.ts';
import { until } from '../support/until.ts';

const PROGRAM = `
process.on('message', ({ kind }) => kind === 'close' && process.exit());
process.send({ kind: 'waiting', reason: String(process.pid) });
process.send({ kind: 'listening', address: 'http://' + process.pid });
`;

describe('a worker that cannot start', () => {
  let folder: string;
  const observed: Observation[] = [];
  const begun: string[] = [];
  const options = {
    count: 1,
    secrets: { connection: {}, operatorKey: '' },
    observe: (observation: Observation) => void observed.push(observation),
    onWaiting: (pid: string) => void begun.push(pid),
  };
  const beginIn = (cwd: string) => cluster.setupPrimary({ exec: join(folder, 'worker.mjs'), args: [], cwd });

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'ct-workers-'));
    await writeFile(join(folder, 'worker.mjs'), PROGRAM);
  });
  after(() => rm(folder, { recursive: true }));

  it('makes the start fail with one sentence', async () => {
    beginIn(join(folder, 'missing'));
    const workers = new Workers(options);
    await assert.rejects(workers.addresses, /A worker ended before the server was ready \(spawn .* ENOENT\)/);
    await workers.close();
  });

  it('is started again later, and reported', async () => {
    beginIn(folder);
    const workers = new Workers(options);
    await workers.addresses;
    beginIn(join(folder, 'missing'));
    process.kill(Number(begun[0]), 'SIGKILL');
    const causes = () => observed.map((each) => (each.event === 'worker.lost' ? each.cause : each.event));
    await until('a vain attempt', () => causes().length >= 2);
    assert.equal(causes()[0], 'SIGKILL');
    assert.match(causes()[1] ?? '', /ENOENT/);
    beginIn(folder);
    await until('the next', () => begun.length === 2);
    await workers.close();
    assert.deepEqual(Object.keys(cluster.workers ?? {}), []);
  });
});
