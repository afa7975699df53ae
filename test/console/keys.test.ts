// Where the keys lead in the grid.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { moved } from '../../console/src/grid/keys.ts';

const BOUNDS = { rows: 100, columns: 5, pageRows: 10 };

test('keys move the active cell, and never beyond the grid', () => {
  const from = { row: 50, column: 2 };
  const go = (key: string, ctrlKey = false) => moved(from, { key, ctrlKey, metaKey: false }, BOUNDS);
  assert.deepEqual(go('ArrowDown'), { row: 51, column: 2 });
  assert.deepEqual(go('ArrowDown', true), { row: 99, column: 2 });
  assert.deepEqual(go('ArrowLeft', true), { row: 50, column: 0 });
  assert.deepEqual(go('PageUp'), { row: 40, column: 2 });
  assert.deepEqual(go('End'), { row: 50, column: 4 });
  assert.deepEqual(go('Home', true), { row: 0, column: 0 });
  assert.equal(go('a'), undefined);
  const first = moved({ row: 0, column: 0 }, { key: 'ArrowUp', ctrlKey: false, metaKey: false }, BOUNDS);
  assert.deepEqual(first, { row: 0, column: 0 });
  const none = moved({ row: 0, column: 0 }, { key: 'End', ctrlKey: true, metaKey: true }, { ...BOUNDS, rows: 0 });
  assert.deepEqual(none, { row: 0, column: 4 });
});
