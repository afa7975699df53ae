// Tables on the clipboard, as spreadsheets write and read them.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readTable, writeHtmlTable, writeTable } from '../../console/src/grid/edit/clipboard-table.ts';

test('what is copied is what is pasted, whatever the cells hold', () => {
  const cell = fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom('"', '\t', '\n', '\r', 'a', ' ', '=') }));
  const table = fc
    .integer({ min: 1, max: 4 })
    .chain((width) => fc.array(fc.array(cell, { minLength: width, maxLength: width }), { minLength: 1, maxLength: 5 }));
  fc.assert(fc.property(table, (rows) => assert.deepEqual(readTable(writeTable(rows)), rows)));
});

test('text of spreadsheets is read: breaks of any kind, quoted cells, rows of any length', () => {
  assert.deepEqual(readTable('a\tb\r\nc\td\r\n'), [
    ['a', 'b'],
    ['c', 'd'],
  ]);
  assert.deepEqual(readTable('a\rb\nc'), [['a'], ['b'], ['c']]);
  assert.deepEqual(readTable('"two\nlines"\t"say ""hi"""'), [['two\nlines', 'say "hi"']]);
  assert.deepEqual(readTable('a\t\n\tb'), [
    ['a', ''],
    ['', 'b'],
  ]);
  assert.deepEqual(readTable(''), [['']]);
});

test('a quotation mark that quotes no cell is a part of the text', () => {
  assert.deepEqual(readTable('"quoted" word\t5" pipe\n"open'), [['"quoted" word', '5" pipe'], ['"open']]);
});

test('texts stay texts in the HTML, and break out of nothing', () => {
  const html = writeHtmlTable([
    [
      { text: '=1+1', literal: true },
      { text: '12', literal: false },
    ],
    [
      { text: '"><img src=x onerror=alert(1)>\n2', literal: true },
      { text: '', literal: false },
    ],
  ]);
  assert.match(html, /mso-number-format:'\\@'[^>]*>=1\+1<\/td><td>12<\/td>/);
  assert.ok(!html.includes('<img'));
  assert.match(html, /&lt;img src=x onerror=alert\(1\)&gt;<br>2/);
});
