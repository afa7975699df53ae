// Which failures of the whole suite lead to a second try of their files, alone, and which never do.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { ROOT } from '../tidy/tree.ts';

interface Suite {
  isNoise(outcome: { code: number; failed: readonly string[] }): boolean;
}

const scripts = (name: string) => pathToFileURL(join(ROOT, 'scripts', name)).href;
const { isNoise }: Suite = await import(scripts('suite.mjs'));

const scratch = await mkdtemp(join(tmpdir(), 'cartulary-failed-'));
after(() => rm(scratch, { recursive: true, force: true }));

const HEAD = "import assert from 'node:assert'; import { describe, it } from 'node:test';";

/** What is told of a run over files with these texts. */
async function failedIn(texts: Record<string, string>): Promise<string[]> {
  await mkdir(join(scratch, 'test'), { recursive: true });
  await writeFile(join(scratch, 'package.json'), '{ "type": "module" }');
  const paths = Object.keys(texts).map((name) => join(scratch, 'test', name));
  for (const [name, text] of Object.entries(texts)) await writeFile(join(scratch, 'test', name), `${HEAD}\n${text}`);
  const reporter = [`--test-reporter=${scripts('failed-tests.mjs')}`, '--test-reporter-destination=stdout'];
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const { stdout } = spawnSync(process.execPath, ['--test', ...reporter, ...paths], { encoding: 'utf8', env });
  return stdout.split('\n').filter(Boolean).sort();
}

test('the files of failed tests are told once each', async () => {
  const failed = await failedIn({
    'good.test.mjs': "it('passes', () => {});",
    'bad.test.js': "describe('a', () => { it('b', () => assert.ok(false)); it('c', () => assert.ok(false)); });",
    'deep.test.js': "it('a', (t) => t.test('b', () => assert.ok(false)));",
  });
  assert.deepEqual(failed, ['test/bad.test.js', 'test/deep.test.js']);
});

test('a process that ends is nobody’s failure', async () => {
  assert.deepEqual(await failedIn({ '001-records.test.mjs': 'process.exit(3);' }), ['?']);
});

test('a few files are tried again, but not many, nor after a process ended', () => {
  const [a, b, c, d] = ['test/a.test.ts', 'test/b.test.ts', 'test/c.test.ts', 'test/d.test.ts'] as const;
  assert.equal(isNoise({ code: 1, failed: [a, b, c] }), true);
  assert.equal(isNoise({ code: 0, failed: [] }), false);
  assert.equal(isNoise({ code: 1, failed: [] }), false);
  assert.equal(isNoise({ code: 1, failed: [a, b, c, d] }), false);
  assert.equal(isNoise({ code: 1, failed: [a, '?'] }), false);
});
