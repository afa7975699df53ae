// Which columns the grid shows and in which order, after every kind of change.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  arrangeColumns,
  type ColumnSettings,
  chooseColumns,
  DEFAULT_COLUMNS,
  movedBeside,
  nudgeColumn,
  readColumnSettings,
  sameColumns,
  shownColumns,
} from '../../console/src/grid/column-settings.ts';

const ALL = ['a', 'b', 'c', 'd', 'e'];
const moveColumns = (
  all: readonly string[],
  settings: ColumnSettings,
  ids: ReadonlySet<string>,
  beside: Parameters<typeof movedBeside>[2],
) => arrangeColumns(all, settings, movedBeside(shownColumns(all, settings), ids, beside));
const shown = (settings: ColumnSettings, all = ALL) => shownColumns(all, settings).join('');

describe('the settings of columns', () => {
  it('show all in the order of the collection, also those that are added later', () => {
    assert.equal(shown(DEFAULT_COLUMNS), 'abcde');
    assert.equal(shown(moveColumns(ALL, DEFAULT_COLUMNS, new Set('d'), { id: 'b', position: 'before' })), 'adbce');
    const moved = moveColumns(ALL, DEFAULT_COLUMNS, new Set('e'), { id: 'a', position: 'before' });
    assert.deepEqual(moved.order, ['e'], 'only what is out of order is kept');
    assert.equal(shown(moved, [...ALL, 'f']), 'eabcdf');
  });

  it('move several columns at once, and back', () => {
    const moved = moveColumns(ALL, DEFAULT_COLUMNS, new Set(['a', 'c']), { id: 'e', position: 'after' });
    assert.equal(shown(moved), 'bdeac');
    assert.equal(shown(nudgeColumn(ALL, moved, 'b', 1)), 'dbeac');
    assert.equal(shown(nudgeColumn(ALL, moved, 'b', -1)), 'bdeac');
    const back = moveColumns(ALL, moved, new Set(['a']), { id: 'b', position: 'before' });
    const home = moveColumns(ALL, back, new Set(['c']), { id: 'b', position: 'after' });
    assert.ok(sameColumns(home, DEFAULT_COLUMNS), 'nothing is kept of an arrangement that was taken back');
    assert.deepEqual(moveColumns(ALL, moved, new Set('a'), { id: 'gone', position: 'after' }), moved);
  });

  it('hide and show columns, in their place', () => {
    const hidden = chooseColumns(ALL, DEFAULT_COLUMNS, new Set(['a', 'b', 'd', 'e']));
    assert.deepEqual([shown(hidden), hidden.hidden, hidden.rest], ['abde', ['c'], true]);
    assert.equal(shown(chooseColumns(ALL, hidden, new Set(ALL))), 'abcde');
    const few = chooseColumns(ALL, DEFAULT_COLUMNS, new Set(['e', 'b']));
    assert.deepEqual([shown(few), few.rest], ['be', false], 'a few chosen columns stay the chosen ones');
    assert.equal(shown(few, [...ALL, 'f']), 'be');
    assert.equal(shown(chooseColumns(ALL, few, new Set(['e', 'b', 'a']))), 'bea');
    assert.ok(sameColumns({ ...chooseColumns(ALL, few, new Set(ALL)), order: [] }, DEFAULT_COLUMNS));
  });

  it('always show something: the first column, or all where every chosen one is gone', () => {
    assert.equal(shown(chooseColumns(ALL, DEFAULT_COLUMNS, new Set())), 'a');
    assert.equal(shown({ ...DEFAULT_COLUMNS, order: ['x', 'y'], rest: false }), 'abcde');
    assert.equal(shown({ ...DEFAULT_COLUMNS, order: ['x', 'd'], hidden: ['y'], rest: false }), 'd');
    assert.equal(shown({ ...DEFAULT_COLUMNS, hidden: ALL }), 'a');
  });

  it('stay small for ten thousand columns', () => {
    const all = Array.from({ length: 10_000 }, (_, index) => `c${String(index).padStart(7, '0')}`);
    const first = all[0] ?? '';
    const one = chooseColumns(all, DEFAULT_COLUMNS, new Set(all.slice(1)));
    const front = moveColumns(all, one, new Set([all[9_999] ?? '']), { id: all[1] ?? '', position: 'before' });
    assert.ok(JSON.stringify(front).length < 200);
    assert.deepEqual(shownColumns(all, front).slice(0, 2), [all[9_999], all[1]]);
    const chosen = chooseColumns(all, front, new Set([first]));
    assert.ok(JSON.stringify(chosen).length < 200);
    assert.deepEqual(readColumnSettings(JSON.parse(JSON.stringify(chosen))), chosen);
  });
});
