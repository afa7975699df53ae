// One exported name has one meaning: no two files of src declare the same.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scan } from './scan.ts';
import { type File, filesIn } from './tree.ts';

/** Operations are read with the noun before them, as in `records.get`. */
const VERBS = new Set(['change', 'create', 'get', 'list', 'remove', 'setPassword', 'show', 'update']);

const EXPORT = /^export\s+(?:abstract\s+)?(?:async\s+)?(?:const|let|function\*?|class|interface|type|enum)\s+(\w+)/gm;

function declaredTwice(files: readonly File[]): Map<string, string[]> {
  const paths = new Map<string, Set<string>>();
  for (const { path, text } of files) {
    for (const [, name = ''] of scan(text).code.matchAll(EXPORT)) {
      if (VERBS.has(name) && path.startsWith('src/operations/')) continue;
      paths.set(name, (paths.get(name) ?? new Set()).add(path));
    }
  }
  return new Map([...paths].filter(([, found]) => found.size > 1).map(([name, found]) => [name, [...found]]));
}

test('no two files export the same name', () => {
  const file = (path: string, text: string): File => ({ path, text });
  const [a, b] = [file('src/a.ts', 'export const one = 1;'), file('src/b.ts', 'export function one() {}')];
  assert.deepEqual([...declaredTwice([a, b]).keys()], ['one']);
  assert.deepEqual([...declaredTwice([a, file('src/b.ts', '// export const one\nconst one = 2;')])], []);

  const found = declaredTwice(filesIn(['src'], ['.ts']));
  const lines = [...found].map(([name, paths]) => `  ${name}: ${paths.join(', ')}`);
  assert.deepEqual(lines, [], 'a reader must not need the import to know which is meant');
});
