// Days, months and time zones, with the zones' own oddities: hours that are skipped or come twice, days that never were.

import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import fc from 'fast-check';
import { addMonths, DAY_MS, dayNumber, dayText, FIRST_DAY, LAST_DAY } from '../../src/domain/dates/days.ts';
import { instantOf, isTimeZone, localDay, localTime, startOfDay } from '../../src/domain/dates/time-zones.ts';

const dayOf = (text: string) => {
  const [year, month, day] = text.split('-').map(Number) as [number, number, number];
  return dayNumber(year, month, day);
};
const iso = (instant: number) => new Date(instant).toISOString();

test('days have numbers over all years', () => {
  assert.equal(dayNumber(1970, 1, 1), 0);
  assert.equal(dayText(FIRST_DAY), '0001-01-01');
  assert.equal(dayText(LAST_DAY), '9999-12-31');
  for (const text of [
    '0001-01-01',
    '0099-12-31',
    '0100-03-01',
    '1969-12-31',
    '2000-02-29',
    '2024-02-29',
    '9999-12-31',
  ]) {
    assert.equal(dayText(dayOf(text)), text);
    assert.equal(dayOf(text), Date.parse(`${text}T00:00:00Z`) / DAY_MS);
  }
});

describe('months keep within the month', () => {
  const cases: [day: string, months: number, expected: string | undefined][] = [
    ['2024-01-31', 1, '2024-02-29'],
    ['2023-01-31', 1, '2023-02-28'],
    ['2024-01-31', 3, '2024-04-30'],
    ['2024-01-31', 2, '2024-03-31'],
    ['2024-03-31', -1, '2024-02-29'],
    ['2024-02-29', 12, '2025-02-28'],
    ['2024-02-29', 48, '2028-02-29'],
    ['2024-02-29', -12, '2023-02-28'],
    ['2024-12-15', 1, '2025-01-15'],
    ['2024-01-15', -1, '2023-12-15'],
    ['2024-05-15', 0, '2024-05-15'],
    ['2024-05-15', -24 * 1000, '0024-05-15'],
    ['0001-01-01', -1, undefined],
    ['9999-12-31', 1, undefined],
    ['2024-05-15', Number.POSITIVE_INFINITY, undefined],
    ['2024-05-15', Number.NEGATIVE_INFINITY, undefined],
  ];
  for (const [day, months, expected] of cases) {
    it(`${day} ${months}`, () => {
      const found = addMonths(dayOf(day), months);
      assert.equal(found === undefined ? undefined : dayText(found), expected);
    });
  }
});

test('names of the tz database are time zones, and nothing else is', () => {
  for (const name of ['UTC', 'Asia/Tokyo', 'America/New_York', 'Asia/Kathmandu', 'Etc/GMT+9'])
    assert.ok(isTimeZone(name));
  for (const name of ['', 'Tokyo', '+09:00', '-05', 'Asia/Nowhere', 'x'.repeat(1000), 'Asia/Tokyo ', '\0']) {
    assert.ok(!isTimeZone(name), name);
  }
});

test('more zones than are kept ready give the same answers', () => {
  const zones = Intl.supportedValuesOf('timeZone');
  assert.ok(zones.length > 200);
  const ask = () => zones.map((zone) => startOfDay(zone, dayOf('2024-05-15')));
  assert.deepEqual(ask(), ask());
});

describe('the clock of a zone', () => {
  const cases: [zone: string, instant: string, local: string][] = [
    ['UTC', '2024-05-15T12:34:56.789Z', '2024-05-15T12:34:56.789Z'],
    ['Asia/Tokyo', '2024-05-15T15:00:00.001Z', '2024-05-16T00:00:00.001Z'],
    ['Asia/Kathmandu', '2024-05-15T18:14:59.999Z', '2024-05-15T23:59:59.999Z'],
    ['Asia/Kathmandu', '2024-05-15T18:15:00.000Z', '2024-05-16T00:00:00.000Z'],
    ['America/New_York', '2024-03-10T06:59:59.999Z', '2024-03-10T01:59:59.999Z'],
    ['America/New_York', '2024-03-10T07:00:00.000Z', '2024-03-10T03:00:00.000Z'],
    ['Asia/Tokyo', '1969-12-31T23:59:59.999Z', '1970-01-01T08:59:59.999Z'],
    ['UTC', '0001-01-01T00:00:00.000Z', '0001-01-01T00:00:00.000Z'],
    ['UTC', '0099-06-01T00:00:00.000Z', '0099-06-01T00:00:00.000Z'],
    ['Etc/GMT+9', '0001-01-01T00:00:00.000Z', '0000-12-31T15:00:00.000Z'],
    ['Etc/GMT-9', '9999-12-31T23:00:00.000Z', '+010000-01-01T08:00:00.000Z'],
    ['UTC', '1582-10-10T00:00:00.000Z', '1582-10-10T00:00:00.000Z'],
  ];
  for (const [zone, instant, local] of cases) {
    it(`${zone} at ${instant}`, () => assert.equal(iso(localTime(zone, Date.parse(instant))), local));
  }
});

describe('the instant of a local time', () => {
  const cases: [zone: string, local: string, instant: string][] = [
    ['Asia/Tokyo', '2024-05-15T10:30', '2024-05-15T01:30'],
    ['America/New_York', '2024-03-10T01:59', '2024-03-10T06:59'],
    // Skipped: shifted forward by the hour.
    ['America/New_York', '2024-03-10T02:30', '2024-03-10T07:30'],
    ['America/New_York', '2024-03-10T03:00', '2024-03-10T07:00'],
    // Shown twice: the first.
    ['America/New_York', '2024-11-03T01:30', '2024-11-03T05:30'],
    ['America/New_York', '2024-11-03T02:00', '2024-11-03T07:00'],
    ['Australia/Lord_Howe', '2024-10-06T02:10', '2024-10-05T15:40'],
    ['Australia/Lord_Howe', '2024-04-07T01:45', '2024-04-06T14:45'],
    ['Pacific/Apia', '2011-12-30T12:00', '2011-12-30T22:00'],
    ['Pacific/Apia', '2011-12-31T00:00', '2011-12-30T10:00'],
  ];
  for (const [zone, local, instant] of cases) {
    it(`${zone} ${local}`, () => assert.equal(iso(instantOf(zone, Date.parse(`${local}:00Z`))), `${instant}:00.000Z`));
  }
});

describe('the start of a day', () => {
  const cases: [zone: string, day: string, instant: string, hours: number][] = [
    ['UTC', '2024-05-15', '2024-05-15T00:00', 24],
    ['Asia/Tokyo', '2024-05-15', '2024-05-14T15:00', 24],
    ['Asia/Kathmandu', '2024-05-15', '2024-05-14T18:15', 24],
    ['America/New_York', '2024-03-10', '2024-03-10T05:00', 23],
    ['America/New_York', '2024-11-03', '2024-11-03T04:00', 25],
    // Clocks went from 24:00 to 01:00, so that the day began at 01:00.
    ['America/Sao_Paulo', '2018-11-04', '2018-11-04T03:00', 23],
    // And from 24:00 back to 23:00: the day before was longer.
    ['America/Sao_Paulo', '2018-02-17', '2018-02-17T02:00', 25],
    ['Africa/Cairo', '2024-04-26', '2024-04-25T22:00', 23],
    ['Africa/Cairo', '2024-10-31', '2024-10-30T21:00', 25],
    // The day that Samoa skipped when it changed to the other side of the date line.
    ['Pacific/Apia', '2011-12-29', '2011-12-29T10:00', 24],
    ['Pacific/Apia', '2011-12-30', '2011-12-30T10:00', 0],
    ['Pacific/Apia', '2011-12-31', '2011-12-30T10:00', 24],
    // From 23:30 to 00:30: midnight was skipped by a change that began before it.
    ['America/Toronto', '1919-03-31', '1919-03-31T04:30', 23.5],
    // At 00:01 back to 23:01: the first midnight counts, and the hour that follows is of the new day.
    ['America/St_Johns', '2006-10-29', '2006-10-29T02:30', 25],
  ];
  for (const [zone, day, instant, hours] of cases) {
    it(`${zone} ${day}`, () => {
      const start = startOfDay(zone, dayOf(day));
      assert.equal(iso(start), `${instant}:00.000Z`);
      assert.equal((startOfDay(zone, dayOf(day) + 1) - start) / 3_600_000, hours);
    });
  }
});

const ZONES = [
  'Asia/Tokyo',
  'America/New_York',
  'Pacific/Apia',
  'Africa/Cairo',
  'America/Sao_Paulo',
  'Asia/Kathmandu',
  'America/St_Johns',
];

test('from 1950 to 2050 days start where a walk through the minutes finds it', () => {
  const [first, last] = [dayNumber(1950, 1, 1), dayNumber(2051, 1, 1)];
  for (const zone of ZONES) {
    const format = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short' });
    const hasBegun = (instant: number, day: number) => format.format(instant) >= dayText(day);
    const offset = new Intl.DateTimeFormat('en', { timeZone: zone, year: 'numeric', timeZoneName: 'longOffset' });
    // From two days before the first.
    const offsets = Array.from({ length: last - first + 4 }, (_, index) =>
      offset.format((first - 2 + index) * DAY_MS).replace(/^.*GMT/, ''),
    );
    let walked = 0;
    for (let day = first; day < last; day += 1) {
      // Every 100th day, and all around a change of the clocks.
      if (day % 100 !== 0 && offsets[day - first] === offsets[day - first + 4]) continue;
      let start = day * DAY_MS - 16 * 3_600_000;
      // All changes of these zones in these years fall on whole minutes.
      while (!hasBegun(start, day)) start += 1_800_000;
      while (hasBegun(start - 60_000, day)) start -= 60_000;
      assert.equal(startOfDay(zone, day), start, `${zone} ${dayText(day)}`);
      walked += 1;
    }
    assert.ok(walked > 360);
  }
});

test('the clock shows the local time at its instant, unless clocks skip it', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...ZONES),
      fc.integer({ min: Date.UTC(1950, 0, 1), max: Date.UTC(2050, 0, 1) }),
      (zone, local) => {
        const instant = instantOf(zone, local);
        const shown = localTime(zone, instant);
        assert.ok(shown >= local && shown - local <= DAY_MS);
        // Whatever a clock shows can be asked back, and the first instant that shows it is the answer.
        assert.ok(instantOf(zone, localTime(zone, local)) <= local);
        assert.equal(localTime(zone, instantOf(zone, localTime(zone, local))), localTime(zone, local));
        const day = localDay(zone, local);
        assert.ok(startOfDay(zone, day) <= local);
      },
    ),
    { numRuns: 3000 },
  );
});
