// docs/security.md names a test for each class of attack: those that it names are there, and those that are there are
// named.

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { filesIn, ROOT, readText } from '../tidy/tree.ts';

describe('the threat model', () => {
  const rows = readText('docs/security.md')
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .map((line) => line.split('|').at(-2) ?? '');
  const named = rows.flatMap((cell) => [...cell.matchAll(/`([\w/-]+)`/g)].map(([, name = '']) => name));

  it('names every file of test/security', () => {
    const files = filesIn(['test/security'], ['.test.ts']).map(({ path }) =>
      path.split('/').at(-1)?.replace('.test.ts', ''),
    );
    assert.deepEqual(
      files.filter((name) => !named.includes(name ?? '')),
      [],
    );
  });

  it('names no test that is not there', () => {
    assert.ok(named.length > 25, `${named.length}`);
    const paths = named.map((name) => (name.includes('/') ? name : `test/security/${name}`));
    const there = (path: string) => ['', '.test.ts'].some((end) => existsSync(join(ROOT, path + end)));
    assert.deepEqual(
      paths.filter((path) => !there(path)),
      [],
    );
  });
});
