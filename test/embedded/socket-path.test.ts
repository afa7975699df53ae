// The short name of a socket's folder: only when needed, restored when a cleaner took it, never one that somebody else made.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, readlink, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { reachSocket } from '../../src/embedded/socket-path.ts';
import { temporaryFolder } from './sandbox.ts';

test('a short path is used as it is', async () => {
  assert.equal((await reachSocket('/data/postgres/socket', 5432)).folder, '/data/postgres/socket');
});

test('a long path: the same link at each start, restored when lost, another when the name is taken', async (t) => {
  const target = path.join(await temporaryFolder(), 'd'.repeat(120));
  await mkdir(target);
  const first = await reachSocket(target, 5432);
  t.after(() => rm(first.folder, { force: true }));
  assert.equal(await readlink(first.folder), target);
  assert.equal((await reachSocket(target, 5432)).folder, first.folder);

  await rm(first.folder);
  await first.refresh();
  assert.equal(await readlink(first.folder), target);

  await first.remove();
  assert.equal(existsSync(first.folder), false);
  await writeFile(first.folder, 'not a link of ours');
  const other = await reachSocket(target, 5432);
  assert.notEqual(other.folder, first.folder);
  assert.equal(await readlink(other.folder), target);
  await other.remove();
  await first.remove();
  assert.equal(existsSync(first.folder), true);
});
