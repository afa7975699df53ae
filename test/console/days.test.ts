// How the console counts days, also where clocks are changed.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { spanOf, stepped } from '../../console/src/views/calendar/span.ts';
import {
  addDays,
  addMonths,
  firstWeekday,
  isDay,
  localDay,
  mondayOf,
  onDay,
  startOfWeek,
  weekOf,
} from '../../console/src/views/days.ts';

const ZONE = 'Europe/Berlin';

describe('days of the console', () => {
  it('are added over months, years and changed clocks', () => {
    assert.equal(addDays('2026-12-31', 1), '2027-01-01');
    assert.equal(addDays('2026-03-29', 1), '2026-03-30');
    assert.equal(addDays('2024-03-01', -1), '2024-02-29');
    assert.equal(addMonths('2026-01-31', 1), '2026-02-28');
    assert.equal(addMonths('2026-01-15', -1), '2025-12-15');
    assert.equal(addMonths('2024-02-29', 12), '2025-02-28');
  });

  it('are told from texts that are none', () => {
    assert.ok(isDay('2026-02-28'));
    for (const text of ['2026-02-30', '2026-2-3', '', 'today', '2026-13-01', '2026-02-28T00:00']) {
      assert.ok(!isDay(text), text);
    }
  });

  it('of a moment are those of a time zone, and a moved moment keeps its time of day', () => {
    assert.equal(localDay(new Date('2026-03-28T23:30:00Z'), ZONE), '2026-03-29');
    const moved = onDay(new Date('2026-03-28T08:15:30.250Z'), '2026-03-30', ZONE);
    assert.equal(moved.toISOString(), '2026-03-30T07:15:30.250Z', '09:15 in winter and in summer');
    const back = onDay(new Date('2026-10-26T08:00:00Z'), '2026-10-24', ZONE);
    assert.equal(back.toISOString(), '2026-10-24T07:00:00.000Z');
    const skipped = onDay(new Date('2026-03-28T01:30:00Z'), '2026-03-29', ZONE);
    assert.equal(skipped.toISOString(), '2026-03-29T01:30:00.000Z', '02:30 does not exist: 03:30');
    assert.equal(onDay(new Date('2026-01-31T11:00:00Z'), '2026-02-28', ZONE).toISOString(), '2026-02-28T11:00:00.000Z');
  });

  it('make weeks by locale, and weeks of the interface by ISO 8601', () => {
    assert.deepEqual(['ja-JP', 'en-US', 'en-GB', 'de'].map(firstWeekday), [0, 0, 1, 1]);
    assert.equal(startOfWeek('2026-11-16', 0), '2026-11-15');
    assert.equal(startOfWeek('2026-11-15', 1), '2026-11-09');
    for (const [week, monday] of [
      ['2026-W01', '2025-12-29'],
      ['2026-W46', '2026-11-09'],
      ['2026-W53', '2026-12-28'],
      ['2021-W01', '2021-01-04'],
      ['2020-W53', '2020-12-28'],
    ] as const) {
      assert.equal(mondayOf(week), monday);
      assert.equal(weekOf(monday), week);
      assert.equal(weekOf(addDays(monday, 6)), week);
    }
  });

  it('of a month are shown in whole weeks', () => {
    const november = spanOf('month', '2026-11-16', 1);
    assert.deepEqual([november.from, november.until, november.days.length], ['2026-10-26', '2026-12-07', 42]);
    assert.equal(spanOf('month', '2026-02-10', 0).days.length, 28, 'from Sunday the 1st to Saturday the 28th');
    assert.deepEqual(spanOf('week', '2026-11-16', 0).days[0], '2026-11-15');
    assert.deepEqual(spanOf('day', '2026-11-16', 0).days, ['2026-11-16']);
    assert.deepEqual(
      (['month', 'week', 'day'] as const).map((unit) => stepped(unit, '2026-01-31', 1)),
      ['2026-02-28', '2026-02-07', '2026-02-01'],
    );
  });
});
