// From cells to values: what is understood, what is refused and why, and which types are guessed.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ColumnGuess } from '../../../src/cli/moving/import/guess-types.ts';
import { mapColumns } from '../../../src/cli/moving/import/mapping.ts';
import { foldName } from '../../../src/moving/import/mapping.ts';
import { readDateCell, readDateTimeCell, readTimeCell } from '../../../src/moving/values/cell-dates.ts';
import { readBooleanCell, readNumberCell } from '../../../src/moving/values/cell-numbers.ts';
import { type OpenValue, readCell } from '../../../src/moving/values/cell-values.ts';
import { timeText } from '../../../src/moving/values/plain-values.ts';
import type { Collection, Column } from '../../../src/wire/applications.ts';

const READING = { timeZone: 'UTC', order: undefined, decimalComma: false, listSeparator: ';' } as const;

describe('the values of an import', () => {
  it('read numbers, and refuse what may be two', () => {
    for (const [text, number] of [
      ['12', 12],
      ['-1.5e3', -1500],
      ['1,234,567.5', 1234567.5],
      ['1 234.5', 1234.5],
      ["1'000", 1000],
    ] as const) {
      assert.equal(readNumberCell(text, false), number, text);
    }
    assert.throws(() => readNumberCell('1,234', false), /has a comma.*--decimal-comma/);
    assert.throws(() => readNumberCell('12 %', false), /is not a number/);
    assert.throws(() => readNumberCell('', false), /is not a number/);
    assert.equal(readNumberCell('1,234', true), 1.234);
    assert.equal(readNumberCell('1.234,5', true), 1234.5);
    assert.equal(readNumberCell('1.5', true), 1.5);
    assert.deepEqual(['yes', 'FALSE', '1', 'off'].map(readBooleanCell), [true, false, true, false]);
    assert.throws(() => readBooleanCell('maybe'), /neither true nor false/);
  });

  it('read dates and times, in the zone and the order that are given', () => {
    assert.equal(readDateCell('2026-1-31', READING), '2026-01-31');
    assert.equal(readDateCell('31.01.2026', READING), '2026-01-31');
    assert.equal(readDateCell('1/31/2026', READING), '2026-01-31');
    assert.equal(readDateCell('2026-01-31T00:00:00', READING), '2026-01-31');
    assert.throws(() => readDateCell('3/4/2026', READING), /may mean two days: say --date-format/);
    assert.equal(readDateCell('3/4/2026', { ...READING, order: 'dmy' }), '2026-04-03');
    assert.equal(readDateCell('3/4/2026', { ...READING, order: 'mdy' }), '2026-03-04');
    assert.throws(() => readDateCell('2026-02-30', READING), /not a day of the calendar/);
    assert.throws(() => readDateCell('3/4/26', { ...READING, order: 'dmy' }), /two digits/);
    assert.throws(() => readDateCell('2026-01-31 10:00', READING), /has a time of day/);
    assert.deepEqual(['9:05', '9:05 pm', '12:00 AM', '23:59:59'].map(readTimeCell), [
      '09:05:00',
      '21:05:00',
      '00:00:00',
      '23:59:59',
    ]);
    assert.throws(() => readTimeCell('24:00'), /not a time/);
    assert.equal(readDateTimeCell('2026-01-31 10:00', READING), '2026-01-31T10:00:00.000Z');
    assert.equal(readDateTimeCell('2026-01-31T10:00:00.5+09:00', READING), '2026-01-31T01:00:00.500Z');
    const berlin = { ...READING, timeZone: 'Europe/Berlin' };
    assert.equal(readDateTimeCell('2026-07-01 10:00', berlin), '2026-07-01T08:00:00.000Z');
    assert.equal(readDateTimeCell('2026-07-01', berlin), '2026-06-30T22:00:00.000Z');
    assert.equal(timeText('2026-07-01T08:00:00.000Z', 'Europe/Berlin'), '2026-07-01T10:00:00.000+02:00');
    assert.equal(timeText('2026-07-01T08:00:00.000Z', undefined), '2026-07-01T08:00:00.000Z');
  });

  it('leave open what has to be looked up', () => {
    const flags = { unique: false, sortable: false, searchable: false };
    const scheme = { collectionId: 't0000000', columnId: 'c0000001' };
    const reference = { id: 'c0000002', name: 'Site', type: 'ReferenceString', scheme, ...flags } as Column;
    const open: OpenValue[] = [];
    const id = `r${'0'.repeat(26)}`;
    assert.deepEqual(readCell(id, reference, READING, open), { type: 'ReferenceString', ...scheme, recordId: id });
    assert.equal(open.length, 0);
    readCell('Depot', reference, READING, open);
    assert.equal(open[0]?.text, 'Depot');
    const people = {
      id: 'c0000003',
      name: 'Crew',
      type: 'Array',
      scheme: { element: { type: 'User' } },
      ...flags,
    } as Column;
    readCell('Ada; Ben', people, READING, open);
    assert.deepEqual(
      open.map(({ text }) => text),
      ['Depot', 'Ada', 'Ben'],
    );
    const place = { id: 'c0000004', name: 'Place', type: 'Location', ...flags } as Column;
    assert.deepEqual(readCell('35.5, 139', place, READING, open), { type: 'Location', latitude: 35.5, longitude: 139 });
    assert.throws(() => readCell('91, 0', place, READING, open), /is not a place/);
    assert.throws(() => readCell('somewhere', place, READING, open), /is not a place/);
  });

  it('guess a type only if every cell fits it', () => {
    const typeOf = (...cells: unknown[]) => {
      const guess = new ColumnGuess();
      for (const cell of cells) guess.add(cell, READING);
      return guess.column;
    };
    assert.deepEqual(typeOf('1', '2.5', undefined), { type: 'Number' });
    assert.deepEqual(typeOf('1', 'x'), { type: 'String' });
    assert.deepEqual(typeOf('0123'), { type: 'String' });
    assert.deepEqual(typeOf('1234567890123456'), { type: 'String' });
    assert.deepEqual(typeOf('yes', 'no'), { type: 'Boolean' });
    assert.deepEqual(typeOf('0', '1'), { type: 'Number' });
    assert.deepEqual(typeOf('2026-01-31', '31.1.2026'), { type: 'Date' });
    assert.deepEqual(typeOf('2026-01-31', '2026-01-31 10:00'), { type: 'DateTime' });
    assert.deepEqual(typeOf('10:00', '11:30'), { type: 'Time' });
    assert.deepEqual(typeOf('13/1/2026', '1/13/2026'), { type: 'String' });
    assert.deepEqual(typeOf(), { type: 'String' });
    assert.deepEqual(typeOf(['a'], ['b', 'c']), { type: 'Array', scheme: { element: { type: 'String' } } });
    assert.deepEqual(typeOf({ latitude: 1, longitude: 2 }), { type: 'Location' });
    assert.deepEqual(typeOf({ a: 1, b: 'x' }), {
      type: 'Object',
      scheme: {
        keys: [
          { name: 'a', type: 'Number' },
          { name: 'b', type: 'String' },
        ],
      },
    });
    assert.equal(typeOf([['a']]), undefined);
    assert.equal(typeOf('a', ['a']), undefined);
  });

  it('match columns by name, by --map and without those of --ignore', () => {
    const flags = { unique: false, sortable: false, searchable: false, type: 'String' } as const;
    const columns = ['Frame number', 'Colour', 'A=B'].map((name, index) => ({ id: `c000000${index}`, name, ...flags }));
    const collection = {
      id: 't0000000',
      name: 'Bikes',
      readAccessType: 'everyone',
      writeAccessType: 'everyone',
      columns,
    } as Collection;
    const names = (header: string[], options = {}) => {
      const { mapped, ignored } = mapColumns(header, collection, options);
      return { mapped: mapped.map(({ name, column }) => `${name} → ${column.name}`), ignored };
    };
    assert.equal(foldName('Frame_Number '), foldName('frame number'));
    assert.deepEqual(names(['frame_NUMBER', 'Shade', '$id']), {
      mapped: ['frame_NUMBER → Frame number'],
      ignored: ['Shade', '$id'],
    });
    assert.deepEqual(names(['Shade', 'x=y'], { map: ['Shade=Colour', 'x=y=A=B'] }).mapped, [
      'Shade → Colour',
      'x=y → A=B',
    ]);
    assert.deepEqual(names(['Colour', 'Frame number'], { ignore: ['colour'] }).ignored, ['Colour']);
    assert.throws(() => names(['Shade'], { map: ['Shade=Color'] }), /Bikes has no column "Color"/);
    assert.throws(() => names(['Shade'], { map: ['Tint=Colour'] }), /the file has no column "Tint"/);
    assert.throws(() => names(['colour', 'COLOUR']), /would both go to "Colour"/);
  });
});
