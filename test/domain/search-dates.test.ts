// Dates and times in searches: spans by precision and by zone, words with offsets, and what does not fit.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ask } from './search-setting.ts';

/** 2024-05-15 is a Wednesday; in Tokyo it is already 21:34. */
const NOW = '2024-05-15T12:34:56.789Z';

interface Case {
  readonly zone?: string;
  readonly now?: string;
  readonly rows: readonly (readonly [query: string, expected: string | RegExp])[];
}

function table(name: string, { zone = 'UTC', now = NOW, rows }: Case): void {
  describe(`${name} (${zone})`, () => {
    for (const [query, expected] of rows) {
      it(query, () => {
        const found = ask(query, { zone, now });
        if (typeof expected === 'string') assert.equal(found, expected);
        else assert.match(found, expected);
      });
    }
  });
}

table('spans by operator', {
  rows: [
    ['Started=2024-01-05', 'Started[2024-01-05T00:00:00.000Z..2024-01-06T00:00:00.000Z)'],
    ['Started:2024-01-05', 'Started[2024-01-05T00:00:00.000Z..2024-01-06T00:00:00.000Z)'],
    ['Started!=2024-01-05', 'not(Started[2024-01-05T00:00:00.000Z..2024-01-06T00:00:00.000Z))'],
    ['Started<2024-01-05', 'Started[..2024-01-05T00:00:00.000Z)'],
    ['Started<=2024-01-05', 'Started[..2024-01-06T00:00:00.000Z)'],
    ['Started>2024-01-05', 'Started[2024-01-06T00:00:00.000Z..)'],
    ['Started>=2024-01-05', 'Started[2024-01-05T00:00:00.000Z..)'],
    ['$createdAt<2024-01-05', '$createdAt[..2024-01-05T00:00:00.000Z)'],
    ['Rows.datetime<2024-01-05', 'Rows.datetime[..2024-01-05T00:00:00.000Z)'],
    ['Due=2024-02-29', 'Due[2024-02-29..2024-03-01)'],
    ['Due<2024-01-05', 'Due[..2024-01-05)'],
    ['Due<=2024-01-05', 'Due[..2024-01-06)'],
    ['Due>2024-01-05', 'Due[2024-01-06..)'],
    ['Due>=2024-01-05', 'Due[2024-01-05..)'],
  ],
});

table('precision', {
  zone: 'Asia/Tokyo',
  rows: [
    ['Started="2024-01-05T10:30"', 'Started[2024-01-05T01:30:00.000Z..2024-01-05T01:31:00.000Z)'],
    ['Started="2024-01-05 10:30"', 'Started[2024-01-05T01:30:00.000Z..2024-01-05T01:31:00.000Z)'],
    ['Started="2024-01-05T10:30:15"', 'Started[2024-01-05T01:30:15.000Z..2024-01-05T01:30:16.000Z)'],
    ['Started="2024-01-05T10:30:15.5"', 'Started[2024-01-05T01:30:15.500Z..2024-01-05T01:30:15.501Z)'],
    ['Started="2024-01-05T10:30:15.05"', 'Started[2024-01-05T01:30:15.050Z..2024-01-05T01:30:15.051Z)'],
    ['Started="2024-01-05T10:30:15.000"', 'Started[2024-01-05T01:30:15.000Z..2024-01-05T01:30:15.001Z)'],
    ['Started="2024-01-05T10:30Z"', 'Started[2024-01-05T10:30:00.000Z..2024-01-05T10:31:00.000Z)'],
    ['Started="2024-01-05t10:30:15z"', 'Started[2024-01-05T10:30:15.000Z..2024-01-05T10:30:16.000Z)'],
    ['Started="2024-01-05T10:30-05:00"', 'Started[2024-01-05T15:30:00.000Z..2024-01-05T15:31:00.000Z)'],
    ['Started="2024-01-05T10:30:15.123+05:45"', 'Started[2024-01-05T04:45:15.123Z..2024-01-05T04:45:15.124Z)'],
    ['Started<="2024-01-05T10:30"', 'Started[..2024-01-05T01:31:00.000Z)'],
    ['Started<="2024-01-05T10:30:15.123Z"', 'Started[..2024-01-05T10:30:15.124Z)'],
    ['Started>"2024-01-05T10:30:15.123Z"', 'Started[2024-01-05T10:30:15.124Z..)'],
    ['Started<"2024-01-05T10:30:15.123Z"', 'Started[..2024-01-05T10:30:15.123Z)'],
    ['Started=2024-01-05', 'Started[2024-01-04T15:00:00.000Z..2024-01-05T15:00:00.000Z)'],
    // A Date has no zone.
    ['Due=2024-01-05', 'Due[2024-01-05..2024-01-06)'],
  ],
});

table('times of day', {
  rows: [
    ['At="10:30"', 'At[10:30:00..10:31:00)'],
    ['At="10:30:15"', 'At[10:30:15..10:30:16)'],
    ['At:"00:00"', 'At[00:00:00..00:01:00)'],
    ['At="23:59"', 'At[23:59:00..24:00:00)'],
    ['At="23:59:59"', 'At[23:59:59..24:00:00)'],
    ['At<"10:30"', 'At[..10:30:00)'],
    ['At<="10:30"', 'At[..10:31:00)'],
    ['At<="23:59"', 'At[..24:00:00)'],
    ['At>"10:59"', 'At[11:00:00..)'],
    ['At>"23:59"', 'nothing'],
    ['At<"00:00"', 'nothing'],
    ['At>="00:00"', 'At[00:00:00..)'],
    ['Rows.time="10:30"', 'Rows.time[10:30:00..10:31:00)'],
    [
      'At="24:00"',
      '3: Column "At" is a Time, which "24:00" does not fit: 24:00 is not a time from 00:00:00 to 23:59:59.',
    ],
    ['At="10:60"', /not a time from/],
    ['At="10:30:15.5"', /it takes a time such as "10:30" or "10:30:15"\.$/],
    ['At="9:30"', /it takes a time/],
    ['At=10', /it takes a time/],
    ['At=now', /it takes a time/],
  ],
});

table('words for a DateTime', {
  zone: 'Asia/Tokyo',
  rows: [
    ['Started=today', 'Started[2024-05-14T15:00:00.000Z..2024-05-15T15:00:00.000Z)'],
    ['Started="today"', 'Started[2024-05-14T15:00:00.000Z..2024-05-15T15:00:00.000Z)'],
    ['Started:yesterday', 'Started[2024-05-13T15:00:00.000Z..2024-05-14T15:00:00.000Z)'],
    ['Started:tomorrow', 'Started[2024-05-15T15:00:00.000Z..2024-05-16T15:00:00.000Z)'],
    ['Started>=today-7d', 'Started[2024-05-07T15:00:00.000Z..)'],
    ['Started<today+1w', 'Started[..2024-05-21T15:00:00.000Z)'],
    ['Started>today+1mo', 'Started[2024-06-15T15:00:00.000Z..)'],
    ['Started>=tomorrow-1y', 'Started[2023-05-15T15:00:00.000Z..)'],
    ['Started=today+0d', 'Started[2024-05-14T15:00:00.000Z..2024-05-15T15:00:00.000Z)'],
    ['Started=now', 'Started[2024-05-15T12:34:56.789Z..2024-05-15T12:34:56.790Z)'],
    ['Started<now', 'Started[..2024-05-15T12:34:56.789Z)'],
    ['Started<=now', 'Started[..2024-05-15T12:34:56.790Z)'],
    ['Started>now+2h', 'Started[2024-05-15T14:34:56.790Z..)'],
    ['Started>=now-90m', 'Started[2024-05-15T11:04:56.789Z..)'],
    ['Started>=now-1d', 'Started[2024-05-14T12:34:56.789Z..)'],
    ['Started>=now-2w', 'Started[2024-05-01T12:34:56.789Z..)'],
    ['Started>=now-3mo', 'Started[2024-02-15T12:34:56.789Z..)'],
    ['Started>=now+1y', 'Started[2025-05-15T12:34:56.789Z..)'],
    ['Started>=today+9h', 'Started[2024-05-15T00:00:00.000Z..)'],
    ['Started>=tomorrow-30m', 'Started[2024-05-15T14:30:00.000Z..)'],
  ],
});

table('words for a Date', {
  zone: 'Asia/Tokyo',
  now: '2024-05-15T20:00:00.000Z',
  rows: [
    ['Due=today', 'Due[2024-05-16..2024-05-17)'],
    ['Due=now', 'Due[2024-05-16..2024-05-17)'],
    ['Due=yesterday', 'Due[2024-05-15..2024-05-16)'],
    ['Due<tomorrow+1w', 'Due[..2024-05-24)'],
    ['Due>=now-1mo', 'Due[2024-04-16..)'],
    ['Due=now+1d', 'Due[2024-05-17..2024-05-18)'],
    // The date that it will be then; it is 05:00.
    ['Due=now+18h', 'Due[2024-05-16..2024-05-17)'],
    ['Due=now+19h', 'Due[2024-05-17..2024-05-18)'],
    ['Due=now-301m', 'Due[2024-05-15..2024-05-16)'],
    ['Due=today-1m', 'Due[2024-05-15..2024-05-16)'],
  ],
});

table('months keep within the month', {
  now: '2024-01-31T10:00:00.000Z',
  rows: [
    ['Due=today+1mo', 'Due[2024-02-29..2024-03-01)'],
    ['Due=today+13mo', 'Due[2025-02-28..2025-03-01)'],
    ['Due=today+3mo', 'Due[2024-04-30..2024-05-01)'],
    ['Due=yesterday+1mo', 'Due[2024-02-29..2024-03-01)'],
    ['Due=tomorrow+1mo', 'Due[2024-03-01..2024-03-02)'],
    ['Started=now+1mo', 'Started[2024-02-29T10:00:00.000Z..2024-02-29T10:00:00.001Z)'],
    ['Started=now-2mo', 'Started[2023-11-30T10:00:00.000Z..2023-11-30T10:00:00.001Z)'],
  ],
});

table('offsets on dates as they are written', {
  now: '2024-01-31T10:00:00.000Z',
  rows: [
    ['Due=2024-01-31+1mo', 'Due[2024-02-29..2024-03-01)'],
    ['Due=2024-01-31-7d', 'Due[2024-01-24..2024-01-25)'],
    ['Due=2024-01-31+25h', 'Due[2024-02-01..2024-02-02)'],
    ['Started=2024-01-31-2w', 'Started[2024-01-17T00:00:00.000Z..2024-01-18T00:00:00.000Z)'],
    ['Started=2024-01-31+9h', 'Started[2024-01-31T09:00:00.000Z..2024-01-31T09:00:00.001Z)'],
    ['Started="2024-01-31T10:30+1mo"', 'Started[2024-02-29T10:30:00.000Z..2024-02-29T10:31:00.000Z)'],
    ['Started="2024-01-31T10:30:15-01:00-90m"', 'Started[2024-01-31T10:00:15.000Z..2024-01-31T10:00:16.000Z)'],
    ['Started="2024-01-31T10:30Z+1d"', 'Started[2024-02-01T10:30:00.000Z..2024-02-01T10:31:00.000Z)'],
  ],
});

table('a leap day', {
  now: '2024-02-29T10:00:00.000Z',
  rows: [
    ['Due=today+1y', 'Due[2025-02-28..2025-03-01)'],
    ['Due=today-4y', 'Due[2020-02-29..2020-03-01)'],
    ['Due=today-100y', 'Due[1924-02-29..1924-03-01)'],
  ],
});

table('the day of 23 hours', {
  zone: 'America/New_York',
  now: '2024-03-09T17:00:00.000Z',
  rows: [
    ['Started=2024-03-10', 'Started[2024-03-10T05:00:00.000Z..2024-03-11T04:00:00.000Z)'],
    ['Started=tomorrow', 'Started[2024-03-10T05:00:00.000Z..2024-03-11T04:00:00.000Z)'],
    ['Started=today+1d', 'Started[2024-03-10T05:00:00.000Z..2024-03-11T04:00:00.000Z)'],
    // Hours and days behind now have their length, months keep the time on the clock: noon.
    ['Started>=now+1d', 'Started[2024-03-10T17:00:00.000Z..)'],
    ['Started>=now+1mo', 'Started[2024-04-09T16:00:00.000Z..)'],
    ['Started>=tomorrow+3h', 'Started[2024-03-10T08:00:00.000Z..)'],
    // Skipped by the clocks: as if they had not been put forward.
    ['Started="2024-03-10T02:30"', 'Started[2024-03-10T07:30:00.000Z..2024-03-10T07:31:00.000Z)'],
  ],
});

table('the day of 25 hours', {
  zone: 'America/New_York',
  now: '2024-11-03T06:30:00.000Z',
  rows: [
    ['Started=2024-11-03', 'Started[2024-11-03T04:00:00.000Z..2024-11-04T05:00:00.000Z)'],
    ['Started=today', 'Started[2024-11-03T04:00:00.000Z..2024-11-04T05:00:00.000Z)'],
    // Shown twice: the first.
    ['Started="2024-11-03T01:30"', 'Started[2024-11-03T05:30:00.000Z..2024-11-03T05:31:00.000Z)'],
    ['Started="2024-11-03T01:30-05:00"', 'Started[2024-11-03T06:30:00.000Z..2024-11-03T06:31:00.000Z)'],
    // It is half past one for the second time, and stays so.
    ['Started>=now+0mo', 'Started[2024-11-03T06:30:00.000Z..)'],
    ['Started>=now+1d', 'Started[2024-11-04T06:30:00.000Z..)'],
  ],
});

table('a day that never was', {
  zone: 'Pacific/Apia',
  now: '2011-12-29T12:00:00.000Z',
  rows: [
    ['Started=2011-12-30', 'nothing'],
    ['Started!=2011-12-30', 'not(nothing)'],
    ['Started<2011-12-30', 'Started[..2011-12-30T10:00:00.000Z)'],
    ['Started<=2011-12-30', 'Started[..2011-12-30T10:00:00.000Z)'],
    ['Started>2011-12-30', 'Started[2011-12-30T10:00:00.000Z..)'],
    ['Started>=2011-12-30', 'Started[2011-12-30T10:00:00.000Z..)'],
    ['Started=2011-12-29', 'Started[2011-12-29T10:00:00.000Z..2011-12-30T10:00:00.000Z)'],
    ['Started=2011-12-31', 'Started[2011-12-30T10:00:00.000Z..2011-12-31T10:00:00.000Z)'],
    ['Due=2011-12-30', 'Due[2011-12-30..2011-12-31)'],
  ],
});

table('a day without midnight', {
  zone: 'America/Sao_Paulo',
  rows: [['Started=2018-11-04', 'Started[2018-11-04T03:00:00.000Z..2018-11-05T02:00:00.000Z)']],
});

table('an offset that is no whole hour', {
  zone: 'Asia/Kathmandu',
  rows: [['Started=2024-05-15', 'Started[2024-05-14T18:15:00.000Z..2024-05-15T18:15:00.000Z)']],
});

table('the ends of time', {
  rows: [
    ['Started=9999-12-31', 'Started[9999-12-31T00:00:00.000Z..)'],
    ['Started<=9999-12-31', 'Started[0001-01-01T00:00:00.000Z..)'],
    ['Started>9999-12-31', 'nothing'],
    ['Started<0001-01-01', 'nothing'],
    ['Started>=0001-01-01', 'Started[0001-01-01T00:00:00.000Z..)'],
    ['Due=9999-12-31', 'Due[9999-12-31..)'],
    ['Due<=9999-12-31', 'Due[0001-01-01..)'],
    ['Due>9999-12-31', 'nothing'],
    ['Due<0001-01-01', 'nothing'],
    ['Started="9999-12-31T23:59:59.999Z"', 'Started[9999-12-31T23:59:59.999Z..)'],
    ['Started=0000-12-31', /0000-12-31 is outside the years 0001 to 9999\.$/],
    ['Started="9999-12-31T23:30-01:00"', /is outside the years 0001 to 9999 in UTC\.$/],
    ['Started="0001-01-01T00:30+01:00"', /is outside the years 0001 to 9999 in UTC\.$/],
    ['Started>today-2024y', /^8: .*today-2024y is outside the years 0001 to 9999\.$/],
    ['Started>today-2023y', 'Started[0001-05-16T00:00:00.000Z..)'],
    ['Started>now+7976y', /outside the years/],
    ['Due<today+99999999999999999999d', /^4: .*today\+99999999999999999999d is outside the years/],
    [`Due<today+${'9'.repeat(1000)}mo`, /^4: .* it is outside the years/],
    [`Started<now-${'9'.repeat(1000)}h`, /^8: .* it is outside the years/],
    [`Due<now+${'9'.repeat(1000)}h`, /^4: .* it is outside the years/],
  ],
});

table('months and years', {
  zone: 'Europe/Berlin',
  rows: [
    ['Started=2024', 'Started[2023-12-31T23:00:00.000Z..2024-12-31T23:00:00.000Z)'],
    ['Started:"2024"', 'Started[2023-12-31T23:00:00.000Z..2024-12-31T23:00:00.000Z)'],
    ['Started!=2024', 'not(Started[2023-12-31T23:00:00.000Z..2024-12-31T23:00:00.000Z))'],
    ['Started<2024', 'Started[..2023-12-31T23:00:00.000Z)'],
    ['Started<=2024', 'Started[..2024-12-31T23:00:00.000Z)'],
    ['Started>2024', 'Started[2024-12-31T23:00:00.000Z..)'],
    ['Started>=2024', 'Started[2023-12-31T23:00:00.000Z..)'],
    // Summer time begins within March and ends within October.
    ['Started=2024-03', 'Started[2024-02-29T23:00:00.000Z..2024-03-31T22:00:00.000Z)'],
    ['Started=2024-10', 'Started[2024-09-30T22:00:00.000Z..2024-10-31T23:00:00.000Z)'],
    ['Started>2024-12', 'Started[2024-12-31T23:00:00.000Z..)'],
    ['$createdAt>=2024-07', '$createdAt[2024-06-30T22:00:00.000Z..)'],
    ['Rows.datetime<2024-02', 'Rows.datetime[..2024-01-31T23:00:00.000Z)'],
    ['Due=2024', 'Due[2024-01-01..2025-01-01)'],
    ['Due:2024-02', 'Due[2024-02-01..2024-03-01)'],
    ['Due:2023-02', 'Due[2023-02-01..2023-03-01)'],
    ['Due=2024-12', 'Due[2024-12-01..2025-01-01)'],
    ['Due<2024-02', 'Due[..2024-02-01)'],
    ['Due<=2024-02', 'Due[..2024-03-01)'],
    ['Due>2024-02', 'Due[2024-03-01..)'],
    ['Due>=2024', 'Due[2024-01-01..)'],
    ['Box.date=2024', 'Box.date[2024-01-01..2025-01-01)'],
    // Without an operator they are text and numbers.
    ['Temp=2024', 'Temp=2024'],
    ['Name=2024', 'Name="2024"'],
    ['Due=2024-13', /^4: .* 2024-13 is not a month of the calendar\.$/],
    ['Started>2024-00', /^8: .* 2024-00 is not a month of the calendar\.$/],
    ['Due=0000', /^4: .* 0000 is outside the years 0001 to 9999\.$/],
    ['Due=2024-01+1mo', /^4: .* an offset can follow a day, but no month or year\.$/],
    ['Started>2024-1y', /^8: .* an offset can follow a day, but no month or year\.$/],
  ],
});

table('months and years at the ends of time', {
  zone: 'Etc/GMT-9',
  rows: [
    ['Started=0001', 'Started[..0001-12-31T15:00:00.000Z)'],
    ['Started<0001-01', 'nothing'],
    ['Started=9999', 'Started[9998-12-31T15:00:00.000Z..9999-12-31T15:00:00.000Z)'],
    ['Due=0001', 'Due[0001-01-01..0002-01-01)'],
    ['Due<0001', 'nothing'],
    ['Due=9999-12', 'Due[9999-12-01..)'],
    ['Due>9999', 'nothing'],
    ['Due<=9999', 'Due[0001-01-01..)'],
  ],
});

table('the ends of time elsewhere', {
  zone: 'Etc/GMT-9',
  rows: [
    // It began in the year 0 of UTC, where nothing can be stored.
    ['Started=0001-01-01', 'Started[..0001-01-01T15:00:00.000Z)'],
    ['Started<0001-01-01', 'nothing'],
    ['Started>=0001-01-01', 'Started[0001-01-01T00:00:00.000Z..)'],
  ],
});

const DATE_TIME =
  /^8: Column "Started" is a DateTime, which ".*" does not fit: it takes a day, month or year such as 2024-01-05, 2024-01 or 2024, a date-time/;
const DATE =
  /^4: Column "Due" is a Date, which ".*" does not fit: it takes a day, month or year such as 2024-01-05, 2024-01 or 2024, or a word/;
table('what does not fit', {
  rows: [
    ...[
      'foo',
      '202',
      '2024-1',
      '2024-1-5',
      '20240105',
      '10:30',
      '1715000000',
      'Today',
      'noon',
      '',
      '2024-01-05T10',
    ].map((term): [string, RegExp] => [`Started="${term}"`, DATE_TIME]),
    ...['foo', '20240', '2024-001', '2024-01-05T10:30', '2024-01-05T10:30:00Z', 'Today', ''].map(
      (term): [string, RegExp] => [`Due="${term}"`, DATE],
    ),
    ['Started>2024-02-30', /^8: .* 2024-02-30 is not a day of the calendar\.$/],
    ['Due=2023-02-29', /^4: .* 2023-02-29 is not a day of the calendar\.$/],
    ['Started="2024-01-05T24:00"', /24:00 is not a time from/],
    ['Started="2024-01-05T10:30:60Z"', /10:30:60 is not a time from/],
    ['Started="2024-01-05T10:30:15.1234Z"', /more than 3 decimals/],
    ['Started="2024-01-05T10:30+24:00"', /\+24:00 is not an offset/],
    ['Started>today-7', /an offset is one whole number and its unit/],
    ['Started>today-7x', /an offset is one whole number/],
    ['Started>now+1.5h', /an offset is one whole number/],
    ['Started>now+1d-2h', /an offset is one whole number/],
    ['Due>today+', /an offset is one whole number/],
    ['Temp=today', /is a Number/],
  ],
});
