// Which columns of the grid are on the page, where they stand, and how far to scroll to one.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { frozenThatFit, placeColumns, scrolledTo } from '../../console/src/grid/column-place.ts';

const WIDTHS = Array.from({ length: 10_000 }, () => 100);
const LEAD = 40;

describe('the columns of the grid', () => {
  it('are on the page when they are in sight, and the frozen ones always', () => {
    const places = placeColumns(WIDTHS, { frozen: 2, lead: LEAD }, { left: 50_000, width: 1_000 });
    assert.ok(places.length < 25, `${places.length} of 10,000`);
    assert.deepEqual(places.slice(0, 2), [
      { index: 0, width: 100, left: 40, gap: 0 },
      { index: 1, width: 100, left: 140, gap: 0 },
    ]);
    const [, , first, second] = places;
    // What is left out takes the place that it would have taken.
    assert.equal(LEAD + 2 * 100 + (first?.gap ?? 0), LEAD + (first?.index ?? 0) * 100);
    assert.equal(second?.gap, 0);
    assert.ok(LEAD + ((places.at(-1)?.index ?? 0) + 1) * 100 >= 51_000);
  });

  it('are fewer frozen on a narrow screen', () => {
    assert.equal(frozenThatFit([200, 200, 200], 2, 1_000), 2);
    assert.equal(frozenThatFit([200, 200, 200], 2, 350), 1);
    assert.equal(frozenThatFit([200, 200, 200], 2, 300), 0);
    assert.equal(frozenThatFit([200], 5, 1_000), 1);
  });

  it('are scrolled to where they are not covered by the frozen ones', () => {
    const view = { left: 1_000, width: 500 };
    assert.equal(scrolledTo(1, WIDTHS, 2, LEAD, view), undefined, 'frozen');
    assert.equal(scrolledTo(12, WIDTHS, 2, LEAD, view), undefined, 'in sight');
    assert.equal(scrolledTo(9, WIDTHS, 2, LEAD, view), 700, 'hidden by the frozen ones');
    assert.equal(scrolledTo(20, WIDTHS, 2, LEAD, view), 1_640);
    assert.equal(scrolledTo(0, [800, 100], 0, LEAD, { left: 0, width: 500 }), 0, 'wider than the screen');
  });
});
