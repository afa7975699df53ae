// Where a pasted table goes, and what the keys of editing do.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { actionOf, leavingBy } from '../../console/src/grid/edit/actions.ts';
import { placeTable, rangeOf } from '../../console/src/grid/edit/ranges.ts';

const BOUNDS = { rows: 5, columns: 4 };
const at = (row: number, column: number) => ({ row, column });
const placed = (table: readonly string[][], range: ReturnType<typeof rangeOf>) => {
  const { cells, newRows, columnsLeftOut } = placeTable(table, range, BOUNDS);
  const name = ({ row, column, content }: (typeof cells)[number]) => `${row},${column}=${content}`;
  return { cells: cells.map(name), newRows: newRows.map((row) => row.map(name)), columnsLeftOut };
};

test('a table goes to the top left of the range, as it is', () => {
  const range = rangeOf(at(2, 2), at(1, 1));
  assert.deepEqual(placed([['a', 'b', 'c']], range).cells, ['1,1=a', '1,2=b', '1,3=c']);
});

test('one value fills a range, and a table that fits several times is repeated', () => {
  assert.deepEqual(placed([['a']], rangeOf(at(0, 0), at(1, 1))).cells, ['0,0=a', '0,1=a', '1,0=a', '1,1=a']);
  assert.deepEqual(placed([['a', 'b']], rangeOf(at(0, 0), at(1, 3))).cells.slice(2, 6), [
    '0,2=a',
    '0,3=b',
    '1,0=a',
    '1,1=b',
  ]);
});

test('rows below the last are new, and columns beyond the last are left out', () => {
  assert.deepEqual(placed([['a', 'b'], ['c', 'd'], ['e']], rangeOf(at(4, 3), at(4, 3))), {
    cells: ['4,3=a'],
    newRows: [['5,3=c'], ['6,3=e']],
    columnsLeftOut: 1,
  });
});

test('keys begin editing, and those of the page stay the page’s', () => {
  const key = (name: string, held = {}) => ({
    key: name,
    ctrlKey: false,
    metaKey: false,
    altKey: false,
    shiftKey: false,
    ...held,
  });
  const cases: [ReturnType<typeof key>, ReturnType<typeof actionOf>][] = [
    [key('a'), 'replace'],
    [key('あ'), 'replace'],
    [key('A', { shiftKey: true }), 'replace'],
    [key('Enter'), 'edit'],
    [key('F2'), 'edit'],
    [key('Enter', { ctrlKey: true }), 'open'],
    [key('Enter', { metaKey: true }), 'open'],
    [key('Enter', { altKey: true }), 'open'],
    [key('a', { ctrlKey: true }), 'selectAll'],
    [key('z', { metaKey: true }), 'undo'],
    [key('Z', { ctrlKey: true, shiftKey: true }), 'redo'],
    [key('y', { ctrlKey: true }), 'redo'],
    [key('c', { ctrlKey: true }), undefined],
    [key('k', { ctrlKey: true }), undefined],
    [key('q', { ctrlKey: true, altKey: true }), undefined],
    [key('/'), undefined],
    [key('?', { shiftKey: true }), undefined],
    [key('Tab'), undefined],
    [key('F5'), undefined],
    [key('Shift', { shiftKey: true }), undefined],
    [key('Delete'), 'clear'],
    [key('Escape'), 'leave'],
  ];
  for (const [pressed, action] of cases) assert.equal(actionOf(pressed, false), action, JSON.stringify(pressed));
  assert.equal(actionOf(key(' '), true), 'toggle');
  assert.equal(actionOf(key(' '), false), 'open');
  assert.deepEqual(leavingBy(key('Enter', { shiftKey: true })), { rows: -1, columns: 0 });
  assert.deepEqual(leavingBy(key('Tab')), { rows: 0, columns: 1 });
  assert.equal(leavingBy(key('x')), undefined);
});
