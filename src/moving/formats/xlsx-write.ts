// Writes an Excel file (.xlsx) with one sheet, row by row. Texts are typed as texts, so that none is taken for a formula.

import { MovingFailure } from '../failure.ts';
import { type Cell, SheetDate, type TableWriter, type TextOutput } from './table.ts';
import { serialOf } from './xlsx-dates.ts';

/** Excel's own limits: it calls files beyond them damaged. */
const TEXT_MAX = 32_767;
const ROWS_MAX = 1_048_576;

const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

/** The styles of cells, by number: 0 general, 1 date, 2 time, 3 heading. */
const STYLE = { date: 1, time: 2, heading: 3 } as const;

const PARTS: Readonly<Record<string, string>> = {
  '[Content_Types].xml': `<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${TYPE}.sheet.main+xml"/><Override PartName="/xl/styles.xml" ContentType="${TYPE}.styles+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="${TYPE}.worksheet+xml"/></Types>`,
  '_rels/.rels': `<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${RELATIONS}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
  'xl/workbook.xml': `<workbook xmlns="${MAIN}" xmlns:r="${RELATIONS}"><sheets><sheet name="Records" sheetId="1" r:id="rId1"/></sheets></workbook>`,
  'xl/_rels/workbook.xml.rels': `<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${RELATIONS}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="${RELATIONS}/styles" Target="styles.xml"/></Relationships>`,
  'xl/styles.xml': `<styleSheet xmlns="${MAIN}"><numFmts count="2"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd"/><numFmt numFmtId="165" formatCode="hh:mm:ss"/></numFmts><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="4"><xf xfId="0"/><xf numFmtId="164" applyNumberFormat="1" xfId="0"/><xf numFmtId="165" applyNumberFormat="1" xfId="0"/><xf fontId="1" applyFont="1" xfId="0"/></cellXfs></styleSheet>`,
};

/** The files of the zip that do not depend on the rows. */
export const XLSX_PARTS: readonly (readonly [name: string, xml: string])[] = Object.entries(PARTS).map(
  ([name, xml]) => [name, HEAD + xml],
);
export const SHEET_PART = 'xl/worksheets/sheet1.xml';

/** Writes the XML of the sheet to `output`, which is a part of the zip. */
export function sheetWriter(output: TextOutput, header: readonly string[]): TableWriter {
  let rows = 0;
  const row = (cells: readonly Cell[], style?: number) => {
    rows += 1;
    if (rows > ROWS_MAX) throw new MovingFailure('excelRows', { count: ROWS_MAX });
    return `<row r="${rows}">${Array.from(cells, (cell, at) => cellXml(cell, `${columnName(at)}${rows}`, style)).join('')}</row>`;
  };
  let before = `${HEAD}<worksheet xmlns="${MAIN}"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><sheetData>${row(header, STYLE.heading)}`;
  return {
    async write(cells) {
      const xml = before + row(cells);
      before = '';
      await output.write(xml);
    },
    end: () => output.end(`${before}</sheetData></worksheet>`),
  };
}

/** 0 is A, 26 is AA. */
function columnName(index: number): string {
  const letter = String.fromCharCode(65 + (index % 26));
  return index < 26 ? letter : columnName(Math.floor(index / 26) - 1) + letter;
}

function cellXml(cell: Cell, place: string, style?: number): string {
  if (cell === undefined) return '';
  if (typeof cell === 'number') return `<c r="${place}"><v>${cell}</v></c>`;
  if (typeof cell === 'boolean') return `<c r="${place}" t="b"><v>${cell ? 1 : 0}</v></c>`;
  if (cell instanceof SheetDate) {
    const serial = serialOf(cell);
    return serial === undefined
      ? textXml(cell.text, place)
      : `<c r="${place}" s="${STYLE[cell.kind]}"><v>${serial}</v></c>`;
  }
  return textXml(typeof cell === 'string' ? cell : JSON.stringify(cell), place, style);
}

function textXml(text: string, place: string, style?: number): string {
  if (text.length > TEXT_MAX) throw new MovingFailure('excelText', { count: TEXT_MAX });
  const styled = style === undefined ? '' : ` s="${style}"`;
  return `<c r="${place}"${styled} t="inlineStr"><is><t xml:space="preserve">${escaped(text)}</t></is></c>`;
}

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** What XML cannot hold is written as _x0001_, and what would be read as such an escape too. */
const escaped = (text: string): string =>
  text
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is escaped
    .replaceAll(/_(?=x[0-9A-Fa-f]{4}_)|[\u0000-\u0008\u000b-\u001f\ufffe\uffff]/g, codeEscape)
    .replaceAll(/[&<>]/g, (character) => ESCAPES[character] ?? '');

const codeEscape = (character: string): string =>
  `_x${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`;
