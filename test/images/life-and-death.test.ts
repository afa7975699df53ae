// The process that decodes may die, hang or be slow, and the server may die over it: each harms one job, and nothing is
// left behind. Who waits gets a turn, within bounds.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import { Fault, fault } from '../../src/faults.ts';
import type { Thumbnails } from '../../src/images/thumbnails.ts';
import { RequestScope } from '../../src/request/request-scope.ts';
import {
  eventually,
  imageOf,
  isAlive,
  largest,
  noise,
  started,
  streamOf,
  twoColours,
  workersOf,
} from '../support/images.ts';

const small = await twoColours(200, 100).png().toBuffer();

async function works(thumbnails: Thumbnails): Promise<void> {
  const { width } = await sharp(await thumbnails.make(imageOf(streamOf(small)), 64)).metadata();
  assert.equal(width, 64);
}

/** A source of which only the beginning has come. */
function stalled(): PassThrough {
  const source = new PassThrough();
  source.write(small.subarray(0, 100));
  return source;
}

function onlyWorker(): number {
  const [pid, ...others] = workersOf();
  assert.deepEqual(others, []);
  return pid ?? assert.fail('there is no worker');
}

test('a job whose process is killed fails alone', async (t) => {
  const thumbnails = started(t);
  await works(thumbnails);
  const first = onlyWorker();
  const source = stalled();
  const killed = thumbnails.make(imageOf(source), 64);
  const waiting = works(thumbnails);
  process.kill(first, 'SIGKILL');
  await assert.rejects(killed, /The thumbnail process ended with SIGKILL/);
  assert.ok(source.destroyed);
  await waiting;
  assert.notEqual(onlyWorker(), first);
});

test('a process that is killed while it decodes', async (t) => {
  const thumbnails = started(t);
  const source = streamOf(largest());
  const killed = assert.rejects(thumbnails.make(imageOf(source), 1024), /ended with SIGKILL/);
  await once(source, 'end');
  process.kill(onlyWorker(), 'SIGKILL');
  await killed;
  await works(thumbnails);
});

test('a process that died while idle is replaced', async (t) => {
  const thumbnails = started(t);
  await works(thumbnails);
  const first = onlyWorker();
  process.kill(first, 'SIGKILL');
  // Gone when this process has heard of it.
  await eventually(() => !existsSync(`/proc/${first}`), 'it ends');
  await works(thumbnails);
  assert.notEqual(onlyWorker(), first);
});

test('a process that hangs is killed, and a source that stalls gives way', async (t) => {
  // Far more than a thumbnail takes, also on a machine that is busy with other tests.
  const bounds = { jobMsMax: 5000 };
  const thumbnails = started(t, bounds);
  await works(thumbnails);
  const hanging = onlyWorker();
  process.kill(hanging, 'SIGSTOP');
  await Promise.all([
    assert.rejects(thumbnails.make(imageOf(streamOf(small)), 64), /took longer than 5000 ms/),
    assert.rejects(started(t, bounds).make(imageOf(stalled()), 64), /took longer than 5000 ms/),
  ]);
  await eventually(() => !isAlive(hanging), 'the hanging process ends');
  await works(thumbnails);
});

test('an error of the source is the error of its job, also when it cannot be opened', async (t) => {
  const thumbnails = started(t);
  await works(thumbnails);
  const worker = onlyWorker();
  const running = stalled();
  const result = thumbnails.make(imageOf(running), 64).catch(String);
  const absent = { name: 'absent', tenant: 'one', open: () => Promise.reject(new Error('the disk is gone')) };
  const waiting = thumbnails.make(absent, 64).catch(String);
  running.destroy(new Error('the network is gone'));
  assert.equal(await result, 'Error: the network is gone');
  assert.equal(await waiting, 'Error: the disk is gone');
  await works(thumbnails);
  assert.equal(onlyWorker(), worker);
});

test('an image at which the process dies is not tried again soon', async (t) => {
  const thumbnails = started(t);
  await works(thumbnails);
  const open = async () => stalled();
  const killed = assert.rejects(thumbnails.make({ name: 'harmful', tenant: 'one', open }, 64), /ended with SIGKILL/);
  process.kill(onlyWorker(), 'SIGKILL');
  await killed;
  await assert.rejects(thumbnails.make({ name: 'harmful', tenant: 'one', open }, 64), /takes too much/);
  await works(thumbnails);
});

test('concurrent requests for the same thumbnail share it', async (t) => {
  const thumbnails = started(t);
  let opened = 0;
  const open = async () => {
    opened += 1;
    return streamOf(small);
  };
  const made = await Promise.all(
    Array.from({ length: 100 }, () => thumbnails.make({ name: 'one', tenant: 'one', open }, 64)),
  );
  assert.equal(opened, 1);
  for (const thumbnail of made) assert.equal(thumbnail, made[0]);
});

test('many at once all finish, in one process', async (t) => {
  const thumbnails = started(t);
  const photo = await noise(1000, 600).jpeg().toBuffer();
  const made = await Promise.all(Array.from({ length: 60 }, () => thumbnails.make(imageOf(streamOf(photo)), 128)));
  for (const thumbnail of made) assert.deepEqual(thumbnail, made[0]);
  onlyWorker();
});

test('a full queue of one application refuses with UNAVAILABLE and does not delay another', async (t) => {
  const thumbnails = started(t);
  // Both processes run before anything is counted: starting one takes as long as many thumbnails.
  await Promise.all([works(thumbnails), thumbnails.make(imageOf(streamOf(small), 'two'), 64)]);
  const first = stalled();
  const running = thumbnails.make(imageOf(first), 64);
  let done = 0;
  const waiting = Array.from({ length: 256 }, () => works(thumbnails).then(() => done++));
  const refused = { name: 'refused', tenant: 'one', open: () => assert.fail('it was opened before its turn') };
  await assert.rejects(thumbnails.make(refused, 64), (error) => error instanceof Fault && error.code === 'UNAVAILABLE');
  const before = done;
  const other = thumbnails.make(imageOf(streamOf(small), 'two'), 64);
  first.end(small.subarray(100));
  await other;
  assert.ok(done - before < 64, `another application waited for ${done - before}`);
  await Promise.all([running, ...waiting]);
});

test('a slow image does not delay those of another application', async (t) => {
  const thumbnails = started(t);
  const first = stalled();
  const running = thumbnails.make(imageOf(first), 64);
  let next = false;
  const waiting = works(thumbnails).then(() => {
    next = true;
  });
  for (let n = 0; n < 3; n++) await thumbnails.make(imageOf(streamOf(small), 'two'), 64);
  assert.equal(next, false, 'an application has one worker, whoever else has nothing to do');
  assert.equal(workersOf().length, 2);
  first.end(small.subarray(100));
  await Promise.all([running, waiting]);
});

test('a job is not started when all of its requests are cancelled, and is when one remains', async (t) => {
  const thumbnails = started(t);
  const first = stalled();
  const running = thumbnails.make(imageOf(first), 64);
  let opened: string[] = [];
  const ask = (name: string) => {
    const scope = new RequestScope(name, 1_000);
    const open = async () => {
      opened = [...opened, name];
      return streamOf(small);
    };
    return { scope, made: thumbnails.make({ name, tenant: 'one', open, signal: scope.signal }, 64) };
  };
  const [left, both, other] = [ask('left'), ask('shared'), ask('shared')];
  const why = fault('UNAVAILABLE', { reason: 'left' });
  for (const { scope } of [left, both]) scope.cancel(why);
  await assert.rejects(left.made, (error) => error === why);
  const again = ask('left');
  first.end(small.subarray(100));
  await Promise.all([running, both.made, other.made, again.made]);
  assert.deepEqual(opened, ['shared', 'left']);
});

test('the process has no secrets and a lower priority than the server', async (t) => {
  const thumbnails = started(t);
  await works(thumbnails);
  const pid = onlyWorker();
  assert.equal(readFileSync(`/proc/${pid}/environ`, 'utf8'), 'MALLOC_ARENA_MAX=2\0');
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const stat = readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8');
    assert.equal(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16], '10', `thread ${thread}`);
  }
});

test('the process ends when it has nothing to do for a while, and comes back', async (t) => {
  const thumbnails = started(t, { idleMsMax: 200 });
  await works(thumbnails);
  const first = onlyWorker();
  await eventually(() => !isAlive(first), 'it ends');
  await works(thumbnails);
  assert.notEqual(onlyWorker(), first);
});

test('close ends all, and nothing begins after it', async (t) => {
  const thumbnails = started(t);
  const running = assert.rejects(thumbnails.make(imageOf(stalled()), 64), /closed/);
  const waiting = assert.rejects(thumbnails.make(imageOf(streamOf(small)), 64), /closed/);
  await eventually(() => workersOf().length === 1, 'it begins');
  await thumbnails.close();
  assert.deepEqual(workersOf(), []);
  await Promise.all([running, waiting]);
  await assert.rejects(thumbnails.make(imageOf(streamOf(small)), 64), /closed/);
  assert.deepEqual(workersOf(), []);
});

for (const [mode, when] of [
  ['stalled', 'between two pieces'],
  ['busy', 'while it decodes'],
] as const) {
  test(`nothing outlives a server that is killed ${when}`, async () => {
    const program = fileURLToPath(new URL('./parent-program.js', import.meta.url));
    const parent = spawn(process.execPath, [program, mode], { stdio: ['ignore', 'pipe', 'inherit'] });
    let said = '';
    parent.stdout.on('data', (chunk: Buffer) => {
      said += chunk.toString();
    });
    const pid = parent.pid ?? assert.fail('it did not start');
    await eventually(() => said.includes(mode === 'busy' ? 'large' : 'made'), 'the program is under way');
    const workers = workersOf(pid);
    assert.equal(workers.length, 1);
    await sleep(300);
    parent.kill('SIGKILL');
    await eventually(() => !workers.some(isAlive), 'the worker follows', 5_000);
  });
}
