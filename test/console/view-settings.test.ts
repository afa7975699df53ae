// What the console keeps in a saved view: read from anything that may have been written, laid under the address, compared.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DEFAULT_COLUMNS } from '../../console/src/grid/column-settings.ts';
import { listQueryOf, readViewAddress } from '../../console/src/views/view-address.ts';
import {
  changedAddress,
  isChanged,
  overlaid,
  readViewSettings,
  settingsOf,
} from '../../console/src/views/view-settings.ts';

const VIEW = `v${'0'.repeat(26)}`;
const SAVED = readViewSettings({ kind: 'board', search: 'Rank>5', sort: 'crank000', by: 'cstate00' });

describe('the settings of a view', () => {
  it('are read as far as they can be, whatever was written', () => {
    const cases: [Record<string, unknown>, object][] = [
      [{}, { kind: 'grid' }],
      [{ kind: 7, search: '', sort: null, by: ['x'], measure: { a: 1 }, columns: 'all' }, { kind: 'grid' }],
      [
        { kind: 'hologram', search: 'a', later: true },
        { kind: 'hologram', search: 'a' },
      ],
      [
        { columns: ['ca', 3, 'ca', 'cb'] },
        { kind: 'grid', columns: { order: ['ca', 'cb'], hidden: [], rest: false, frozen: 1, widths: {} } },
      ],
      [
        { columns: { order: 'x', frozen: 1e9, widths: { ca: 1, cb: 'wide', cc: 1e300, cd: 120.4 } } },
        {
          kind: 'grid',
          columns: { order: [], hidden: [], rest: true, frozen: 5, widths: { ca: 64, cc: 800, cd: 120 } },
        },
      ],
    ];
    for (const [written, read] of cases) assert.deepEqual(readViewSettings(written), read);
  });

  it('lie under the address, which has only what differs', () => {
    assert.deepEqual(overlaid(SAVED, { view: VIEW }), {
      view: VIEW,
      search: 'Rank>5',
      sort: 'crank000',
      by: 'cstate00',
    });
    const searched = changedAddress(SAVED, { view: VIEW }, { search: 'x' });
    assert.deepEqual(searched, { view: VIEW, search: 'x' });
    assert.deepEqual(changedAddress(SAVED, searched, { search: 'Rank>5' }), { view: VIEW });
    const cleared = changedAddress(SAVED, searched, { search: undefined });
    assert.deepEqual(cleared, { view: VIEW, search: '' });
    assert.deepEqual(readViewAddress({ ...cleared }), cleared, 'a cleared search survives a reload');
    const collection = { columns: [{ id: 'crank000', sortable: true }] };
    const query = { search: '', sort: 'crank000', descending: false };
    assert.deepEqual(listQueryOf(overlaid(SAVED, cleared), collection), query);
  });

  it('give way to the usual order where theirs names a column that is gone or no longer sortable', () => {
    const columns = [
      { id: 'crank000', sortable: true },
      { id: 'cnote000', sortable: false },
    ];
    const usual = { search: 'a', sort: 'updatedAt', descending: true };
    for (const sort of ['cgone000', '-cnote000', 'id', '(x)']) {
      assert.deepEqual(listQueryOf({ search: 'a', sort }, { columns }), usual);
    }
    assert.deepEqual(listQueryOf({ sort: '-crank000' }, { columns }).descending, true);
    assert.deepEqual(listQueryOf({ sort: 'createdBy' }, { columns }).sort, 'createdBy');
  });

  it('are left with what is shown when another kind is chosen', () => {
    assert.deepEqual(changedAddress(SAVED, { view: VIEW, search: '' }, { view: undefined, by: undefined }), {
      sort: 'crank000',
    });
    assert.deepEqual(changedAddress(undefined, { search: 'a' }, { view: 'board' }), { view: 'board', search: 'a' });
    assert.deepEqual(readViewAddress({ view: 'board', search: '' }), { view: 'board' });
  });

  it('are compared with what is on the page', () => {
    assert.equal(isChanged(SAVED, { view: VIEW }, DEFAULT_COLUMNS), false);
    assert.equal(isChanged(SAVED, { view: VIEW, search: 'Rank>5' }, DEFAULT_COLUMNS), false);
    assert.equal(isChanged(SAVED, { view: VIEW, sort: '' }, DEFAULT_COLUMNS), true);
    assert.equal(isChanged(SAVED, { view: VIEW }, { ...DEFAULT_COLUMNS, hidden: ['ca'] }), true);
    const kept = settingsOf(SAVED.kind, overlaid(SAVED, { view: VIEW }), DEFAULT_COLUMNS);
    assert.deepEqual(kept, SAVED);
  });
});
