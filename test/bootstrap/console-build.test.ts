// The console's files come from its sources and the lock file alone, and in a time that a first start can spare.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import { it } from 'node:test';
import { build } from 'vite';
import { filesIn, ROOT } from '../tidy/tree.ts';

/** Of all threads together, so that it is no less than the time on an idle machine, and holds on a busy one. */
const PROCESSOR_SECONDS_MAX = 15;

async function hashes(folder: string): Promise<Record<string, string>> {
  const names = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
  const files = names.map(({ parentPath, name }) => join(parentPath, name)).sort();
  const found = files.map(async (file) => {
    const hash = createHash('sha256').update(await readFile(file));
    return [file.slice(folder.length + 1), hash.digest('hex')];
  });
  return Object.fromEntries(await Promise.all(found));
}

it('is built again when any source that it takes from elsewhere has changed', async () => {
  const { CONSOLE_SOURCES } = (await import(join(ROOT, 'scripts/prepare.mjs'))) as {
    CONSOLE_SOURCES: readonly string[];
  };
  const inside = (path: string) => CONSOLE_SOURCES.some((folder) => path.startsWith(`${folder}/`));
  const taken = filesIn(['console/src'], ['.ts', '.tsx']).flatMap(({ path, text }) =>
    [...text.matchAll(/from '(\.[^']+)'/g)].map(([, to = '']) => posix.join(posix.dirname(path), to)),
  );
  const fromElsewhere = taken.filter((path) => !path.startsWith('console/'));
  assert.ok(fromElsewhere.length > 20);
  assert.deepEqual(
    fromElsewhere.filter((path) => !inside(path)),
    [],
  );
});

it('builds the same files again, within the time that a first start can spare', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'cartulary-console-'));
  try {
    const before = process.cpuUsage();
    await build({ root: join(ROOT, 'console'), logLevel: 'warn', build: { outDir: folder, emptyOutDir: true } });
    const { user, system } = process.cpuUsage(before);
    const seconds = (user + system) / 1e6;
    assert.ok(seconds < PROCESSOR_SECONDS_MAX, `it took ${seconds} s of processors`);
    const built = await hashes(folder);
    assert.ok(Object.keys(built).length > 20);
    assert.deepEqual(built, await hashes(join(ROOT, 'dist', 'console-files')));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
