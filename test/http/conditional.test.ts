// When a download is answered by 304: ETags, the three forms of a date, and which of them counts.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { notModified, notModifiedSince, readHttpDate, unchanged } from '../../src/http/requests/conditional.ts';

const SEED = 9110;
const MOMENT = Date.UTC(1994, 10, 6, 8, 49, 37);
const FIXED = 'Sun, 06 Nov 1994 08:49:37 GMT';

const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

/** The two old forms of `new Date(ms).toUTCString()`. */
function oldForms(ms: number): { rfc850: string; asctime: string } {
  const [weekday = '', day = '', month = '', year = '', time = ''] = new Date(ms).toUTCString().split(/,? /);
  return {
    rfc850: `${WEEKDAYS[new Date(ms).getUTCDay()]}, ${day}-${month}-${year.slice(-2)} ${time} GMT`,
    asctime: `${weekday} ${month} ${day.replace(/^0/, ' ')} ${time} ${year}`,
  };
}

test('the three forms of a date', () => {
  for (const text of [
    FIXED,
    'Sunday, 06-Nov-94 08:49:37 GMT',
    'Sun Nov  6 08:49:37 1994',
    'Sun Nov 06 08:49:37 1994',
  ]) {
    assert.equal(readHttpDate(text), MOMENT, text);
  }
  assert.equal(readHttpDate('Wednesday, 29-Feb-12 23:59:59 GMT'), Date.UTC(2012, 1, 29, 23, 59, 59));
  assert.equal(readHttpDate('Thu, 01 Jan 1970 00:00:00 GMT'), 0);
});

test('every second of four centuries, in each form', () => {
  const nowMs = Date.UTC(2026, 6, 1);
  const seconds = fc.integer({ min: Date.UTC(1900, 0, 1) / 1000, max: Date.UTC(2300, 0, 1) / 1000 });
  fc.assert(
    fc.property(seconds, (second) => {
      const ms = second * 1000;
      const { rfc850, asctime } = oldForms(ms);
      assert.equal(readHttpDate(new Date(ms).toUTCString(), nowMs), ms);
      assert.equal(readHttpDate(asctime, nowMs), ms, asctime);
      const year = new Date(ms).getUTCFullYear();
      // Two digits say the year from 1977 to 2076 only; elsewhere the day of the week is mostly wrong, too.
      if (year > 1976 && year <= 2076) assert.equal(readHttpDate(rfc850, nowMs), ms, rfc850);
    }),
    { seed: SEED, numRuns: 5000 },
  );
});

test('what is no date is as good as none', () => {
  for (const text of [
    '',
    ' ',
    '0',
    '-1',
    'now',
    '1994-11-06T08:49:37Z',
    '1994-11-06',
    '784111777',
    'Sun, 06 Nov 1994 08:49:37',
    'Sun, 06 Nov 1994 08:49:37 UTC',
    'Sun, 06 Nov 1994 08:49:37 +0000',
    'Sun, 06 Nov 1994 08:49:37 GMT ',
    'Sun, 6 Nov 1994 08:49:37 GMT',
    'Sun, 06 Nov 94 08:49:37 GMT',
    'sun, 06 nov 1994 08:49:37 gmt',
    'Mon, 06 Nov 1994 08:49:37 GMT',
    '06 Nov 1994 08:49:37 GMT',
    'Sun, 06 Nov 1994 24:00:00 GMT',
    'Sun, 06 Nov 1994 08:60:37 GMT',
    'Sun, 06 Nov 1994 08:49:60 GMT',
    'Thu, 31 Feb 1994 08:49:37 GMT',
    'Thu, 29 Feb 1995 08:49:37 GMT',
    'Sun, 00 Nov 1994 08:49:37 GMT',
    'Sun, 06 Nox 1994 08:49:37 GMT',
    'Sunday, 06-Nov-1994 08:49:37 GMT',
    'Sun, 06-Nov-94 08:49:37 GMT',
    'Monday, 06-Nov-94 08:49:37 GMT',
    'Sunsday, 06-Nov-94 08:49:37 GMT',
    'Sun Nov 6 08:49:37 1994',
    'Sun Nov  6 08:49:37 1994 GMT',
    'Invalid Date',
    `${FIXED}, ${FIXED}`,
    '('.repeat(1_000_000),
    ' '.repeat(1_000_000),
  ]) {
    assert.equal(readHttpDate(text), undefined, text.slice(0, 40));
    assert.equal(notModifiedSince(text, 0), false, text.slice(0, 40));
  }
});

test('two digits of a year reach 50 years ahead', () => {
  const nowMs = Date.UTC(2026, 6, 1);
  const { rfc850: ahead } = oldForms(Date.UTC(2076, 0, 1));
  const { rfc850: past } = oldForms(Date.UTC(1977, 0, 1));
  assert.equal(readHttpDate(ahead, nowMs), Date.UTC(2076, 0, 1));
  assert.equal(readHttpDate(past, nowMs), Date.UTC(1977, 0, 1));
});

test('If-Modified-Since counts whole seconds', () => {
  for (const [sinceMs, lastModifiedMs, expected] of [
    [MOMENT, MOMENT, true],
    [MOMENT, MOMENT + 999, true],
    [MOMENT, MOMENT + 1000, false],
    [MOMENT, MOMENT - 1, true],
    [MOMENT + 1000, MOMENT, true],
    [MOMENT - 1000, MOMENT, false],
  ] as const) {
    const { rfc850, asctime } = oldForms(sinceMs);
    for (const header of [new Date(sinceMs).toUTCString(), rfc850, asctime]) {
      assert.equal(notModifiedSince(header, lastModifiedMs), expected, `${header} ${lastModifiedMs - MOMENT}`);
    }
  }
  assert.equal(notModifiedSince(undefined, 0), false);
});

test('If-None-Match compares weakly', () => {
  for (const [header, expected] of [
    [undefined, false],
    ['"abc"', true],
    ['W/"abc"', true],
    ['"x", W/"abc" ,"y"', true],
    ['*', true],
    [' * ', true],
    ['"abd"', false],
    ['abc', false],
    ['"abc', false],
    ['"abc" x', false],
    ['', false],
    ['"abc", *', false],
  ] as const) {
    assert.equal(notModified(header, '"abc"'), expected, header);
  }
});

test('If-None-Match counts, and If-Modified-Since only without it', () => {
  const after = new Date(MOMENT + 5000).toUTCString();
  const before = new Date(MOMENT - 5000).toUTCString();
  for (const [ifNoneMatch, ifModifiedSince, expected] of [
    [undefined, undefined, false],
    [undefined, after, true],
    [undefined, before, false],
    [undefined, 'x', false],
    ['"abc"', undefined, true],
    ['"abc"', before, true],
    ['"abc"', 'x', true],
    ['"abd"', after, false],
    ['"abd"', undefined, false],
    ['garbage', after, false],
    ['', after, false],
    ['*', before, true],
  ] as const) {
    const conditions = { ifNoneMatch, ifModifiedSince };
    const message = JSON.stringify(conditions);
    assert.equal(unchanged(conditions, { etag: '"abc"', lastModifiedMs: MOMENT + 1 }), expected, message);
  }
});
