// The formats of import and export: what is written is read again, and files of other programs are understood.

import assert from 'node:assert/strict';
import { createWriteStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { ZipFile } from 'yazl';
import { openTable, tableWriter } from '../../../src/cli/moving/formats/choose.ts';
import { SharedStrings } from '../../../src/cli/moving/formats/shared-strings.ts';
import { guessDelimiter } from '../../../src/moving/formats/csv-read.ts';
import type { FileFormat } from '../../../src/moving/formats/format-names.ts';
import { type ReadOptions, SheetDate, type TableRow } from '../../../src/moving/formats/table.ts';
import { dateForm, dateOf } from '../../../src/moving/formats/xlsx-dates.ts';
import { problemSentence } from '../../../src/moving/problems.ts';
import { withFolder } from '../../support/command.ts';

async function read(file: string, format: FileFormat, options: ReadOptions = {}) {
  const table = await openTable(file, format, options);
  const rows: TableRow[] = [];
  try {
    for await (const row of table.rows) rows.push(row);
  } finally {
    await table.close();
  }
  return { header: [...table.header], rows, cells: rows.map(({ cells }) => [...cells]) };
}

async function readText(content: string | Uint8Array, format: FileFormat = 'csv', options: ReadOptions = {}) {
  let found: Awaited<ReturnType<typeof read>> | undefined;
  await withFolder(async (folder) => {
    const file = join(folder, 'file');
    await writeFile(file, content);
    found = await read(file, format, options);
  });
  return found!;
}

describe('the formats of import and export', () => {
  it('read again what they have written', async () => {
    const texts = ['plain', '', "'", '=1+1', "'=1+1", '-5', '@x', '\tx', 'a;b,c', 'two\nlines', '"quoted"', ' blanks '];
    const rows = [
      ...texts.map((text) => [text, 1.5, true, new SheetDate('date', '2026-01-31'), ['a', 1]]),
      ['\u0001 and _x0041_', -3, false, new SheetDate('date', '1899-05-01'), undefined],
      ['日本語 𝒳', 1e21, undefined, undefined, undefined],
    ];
    await withFolder(async (folder) => {
      for (const format of ['csv', 'jsonl', 'xlsx'] as const) {
        const file = join(folder, `file.${format}`);
        const form = { format, delimiter: ';', byteOrderMark: true };
        const writer = await tableWriter(createWriteStream(file), ['Text', 'Number', 'Flag', 'Day', 'List'], form);
        for (const row of rows) await writer.write(row);
        await writer.end();
        const { header, cells } = await read(file, format);
        assert.deepEqual(header, ['Text', 'Number', 'Flag', 'Day', 'List'], format);
        const expected = rows.map(([text, number, flag, day, list]) => [
          text,
          format === 'csv' ? String(number) : number,
          format === 'csv' && flag !== undefined ? String(flag) : flag,
          day === undefined ? undefined : (day as SheetDate).text,
          format === 'jsonl' || list === undefined ? list : JSON.stringify(list),
        ]);
        const padded = cells.map((row) => Array.from({ length: 5 }, (_, index) => row[index]));
        assert.deepEqual(padded, expected, format);
      }
    });
  });

  it('read CSV of other programs: separators, line ends, byte order marks, line numbers', async () => {
    for (const [head, delimiter] of [
      ['a,b', ','],
      ['a;b;"c,d,e,f"', ';'],
      ['a\tb', '\t'],
      ['only', ','],
    ] as const) {
      assert.equal(guessDelimiter(`${head}\r\n1`), delimiter, head);
    }
    const windows = await readText('\ufeffName;Note\r\nAda;"two\r\nlines"\r\n\r\nBen;x\r\n');
    assert.deepEqual(windows.header, ['Name', 'Note']);
    assert.deepEqual(windows.cells, [
      ['Ada', 'two\r\nlines'],
      ['Ben', 'x'],
    ]);
    assert.deepEqual(
      windows.rows.map(({ line }) => line),
      [2, 5],
    );
    const short = await readText('a,b\n1\n1,2,\n1,2,3\n');
    assert.deepEqual(
      short.rows.map(({ problem }) => problem && problemSentence(problem)),
      ['has 1 cells where the heading has 2', undefined, 'has 3 cells where the heading has 2'],
    );
    const utf16 = await readText(Buffer.from('\ufeffa,b\n1,é\n', 'utf16le'));
    assert.deepEqual(utf16.cells, [['1', 'é']]);
  });

  it('recognise text that is not UTF-8, and read it with --encoding', async () => {
    // "名前\nカメラ" in Shift_JIS
    const bytes = Buffer.from([0x96, 0xbc, 0x91, 0x4f, 0x0a, 0x83, 0x4a, 0x83, 0x81, 0x83, 0x89, 0x0a]);
    await assert.rejects(readText(bytes), /is not utf-8 text .* add --encoding shift_jis\./);
    assert.deepEqual((await readText(bytes, 'csv', { encoding: 'shift_jis' })).cells, [['カメラ']]);
    // "日本" in Shift_JIS and in EUC-JP, without Kana.
    const few = { shift_jis: [0x93, 0xfa, 0x96, 0x7b], 'euc-jp': [0xc6, 0xfc, 0xcb, 0xdc] };
    for (const [encoding, word] of Object.entries(few)) {
      const file = Buffer.from([...Buffer.from('Name\r\n'), ...word, 0x0d, 0x0a]);
      await assert.rejects(readText(file), new RegExp(`add --encoding ${encoding}\\.`));
      // After so many rows of ASCII that nobody looks at the head any more.
      const late = Buffer.concat([Buffer.from(`Name\n${'plain row\n'.repeat(20_000)}`), file]);
      await assert.rejects(readText(late), new RegExp(`add --encoding ${encoding}\\.`));
    }
    for (const western of ['\xd6sterreich, K\xf6ln\x96Bonn', 'Caf\xe9s, \xdcbung', '\x93quoted\x94 na\xefve']) {
      await assert.rejects(readText(Buffer.from(`Name\n${western}\n`, 'latin1')), /--encoding windows-1252\./, western);
    }
    const latin = Buffer.from('Name\nRen\xe9e\n', 'latin1');
    await assert.rejects(readText(latin), /--encoding windows-1252/);
    assert.deepEqual((await readText(latin, 'csv', { encoding: 'windows-1252' })).cells, [['Renée']]);
    await assert.rejects(readText('a\n', 'csv', { encoding: 'klingon' }), /--encoding klingon is not known/);
  });

  it('read JSON Lines and arrays of objects, and tell which line is none', async () => {
    const lines = await readText('{"a":1}\n\n{"b":[1,2],"a":null}\nnonsense\n[1]\n', 'jsonl');
    assert.deepEqual(lines.header, ['a', 'b']);
    assert.deepEqual(
      lines.rows.map(({ line, problem }) => [line, problem?.code]),
      [
        [1, undefined],
        [3, undefined],
        [4, 'lineNotJson'],
        [5, 'lineNotObject'],
      ],
    );
    const array = await readText(' [\n{"a": "}\\"{"},\n{"a": {"b": 1}}\n]\n', 'jsonl');
    assert.deepEqual(array.cells, [['}"{'], [{ b: 1 }]]);
    await assert.rejects(readText('[{"a": 1', 'jsonl'), /ends within the object that begins in line 1/);
  });

  it('read sheets as Excel writes them: shared texts, dates by their format, gaps and reading aids', async () => {
    await withFolder(async (folder) => {
      const file = join(folder, 'excel.xlsx');
      await writeSheet(file, {
        strings:
          '<si><t>Name</t></si><si><t>Day</t></si><si><r><t>A</t></r><r><t>da</t></r></si><si><t>東京</t><rPh sb="0" eb="2"><t>トウキョウ</t></rPh></si>',
        rows: `<row r="1"><c r="A1" t="s"><v>0</v></c><c r="C1" t="s"><v>1</v></c></row>
<row r="4"><c r="A4" t="s"><v>2</v></c><c r="B4"><v>7</v></c><c r="C4" s="1"><v>46053</v></c></row>
<row r="5"><c r="A5" t="s"><v>3</v></c><c r="C5" s="2"><v>46053.5</v></c></row>
<row r="6"><c r="A6" t="e"><v>#N/A</v></c></row>
<row r="7"><c r="C7" s="3"><v>0.75</v></c></row>`,
      });
      const { header, rows, cells } = await read(file, 'xlsx');
      assert.deepEqual(header, ['Name', '', 'Day']);
      assert.deepEqual(cells[0], ['Ada', 7, '2026-01-31']);
      assert.equal(cells[1]?.[0], '東京');
      assert.equal(cells[1]?.[2], '2026-01-31T12:00:00');
      assert.deepEqual(rows[2]?.problem, { code: 'sheetError', params: { text: '#N/A' } });
      assert.equal(cells[3]?.[2], '18:00:00');
      assert.deepEqual(
        rows.map(({ line }) => line),
        [4, 5, 6, 7],
      );
      await assert.rejects(read(file, 'xlsx', { sheet: 'None' }), /has no sheet None\. It has: Tab\./);
      await writeFile(file, 'no zip');
      await assert.rejects(read(file, 'xlsx'), /is not an Excel file/);
    });
  });

  it('know which formats of Excel are dates', () => {
    assert.equal(dateForm(14, undefined), 'date');
    assert.equal(dateForm(2, undefined), undefined);
    assert.equal(dateForm(164, 'yyyy\\-mm\\-dd'), 'date');
    assert.equal(dateForm(164, '[$-411]ggge"年"m"月"d"日"'), 'date');
    assert.equal(dateForm(164, 'dd/mm/yyyy hh:mm'), 'dateTime');
    assert.equal(dateForm(164, 'hh:mm:ss'), 'time');
    assert.equal(dateForm(164, '#,##0.00 "days"'), undefined);
    assert.equal(dateForm(164, '[Red]0.00'), undefined);
    assert.equal(dateOf(1, 'date', 1900), '1900-01-01');
    assert.equal(dateOf(0, 'date', 1904), '1904-01-01');
  });

  it('hold millions of shared texts in a file instead of memory', () => {
    const strings = new SharedStrings(1_000);
    for (let index = 0; index < 5_000; index += 1) strings.add(`text ${index} 文`);
    assert.equal(strings.get(0), 'text 0 文');
    assert.equal(strings.get(4_999), 'text 4999 文');
    assert.equal(strings.get(5_000), undefined);
    strings.close();
  });
});

const NAMESPACE = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"';

async function writeSheet(file: string, { strings, rows }: { strings: string; rows: string }): Promise<void> {
  const zip = new ZipFile();
  const parts = {
    'xl/workbook.xml': `<workbook ${NAMESPACE} xmlns:r="r"><sheets><sheet name="Tab" sheetId="1" r:id="rId7"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': '<Relationships><Relationship Id="rId7" Target="worksheets/a.xml"/></Relationships>',
    'xl/styles.xml': `<styleSheet ${NAMESPACE}><numFmts><numFmt numFmtId="170" formatCode="yyyy/mm/dd hh:mm"/></numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="170"/><xf numFmtId="21"/></cellXfs></styleSheet>`,
    'xl/sharedStrings.xml': `<sst ${NAMESPACE}>${strings}</sst>`,
    'xl/worksheets/a.xml': `<worksheet ${NAMESPACE}><sheetData>${rows}</sheetData></worksheet>`,
  };
  for (const [name, xml] of Object.entries(parts)) zip.addBuffer(Buffer.from(xml), name);
  zip.end();
  await new Promise<void>((resolve, reject) => {
    zip.outputStream.pipe(createWriteStream(file)).on('close', resolve).on('error', reject);
  });
}
