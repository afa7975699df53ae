// Which entry a full map drops.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BoundedMap } from '../../src/load/bounded-map.ts';

test('a bounded map drops the entry that was set longest ago', () => {
  const map = new BoundedMap<string | undefined, number>(2);
  map.set(undefined, 1).set('b', 2);
  assert.deepEqual([...map.keys()], [undefined, 'b']);
  map.set('c', 3);
  assert.deepEqual([...map.keys()], ['b', 'c']);
  map.set('b', 4);
  assert.deepEqual(
    [...map],
    [
      ['c', 3],
      ['b', 4],
    ],
    'setting an entry again keeps the others and makes it the newest',
  );
  map.get('c');
  map.set('d', 5);
  assert.deepEqual([...map.keys()], ['b', 'd'], 'reading an entry does not keep it');
  map.delete('b');
  map.set('e', 6);
  assert.deepEqual([...map.keys()], ['d', 'e']);
});
