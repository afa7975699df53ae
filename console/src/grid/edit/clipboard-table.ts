// Tables as spreadsheets put them on the clipboard: tab-separated text, and HTML that keeps texts texts.

const NEEDS_QUOTES = /[\t\n\r"]/;

/** Cells with a tab, a line break or a quotation mark are quoted, as Excel, Google Sheets and Numbers write and read them. */
export function writeTable(rows: readonly (readonly string[])[]): string {
  const lines = rows.map((row) => row.map(writeCell).join('\t'));
  // A last row that is empty would be taken for the break after the one before.
  return lines.length > 1 && lines.at(-1) === '' ? `${lines.join('\r\n')}\r\n` : lines.join('\r\n');
}

const writeCell = (text: string): string => (NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/**
 * A cell is quoted if it begins with a quotation mark and a later one ends it; otherwise the mark is a part of the text, as
 * in a text that was written by hand. CSV files have another separator.
 */
export function readTable(text: string, separator = '\t'): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let at = 0;
  while (at <= text.length) {
    const quoted = text[at] === '"' ? readQuoted(text, at, separator) : undefined;
    const end = quoted?.end ?? plainEnd(text, at, separator);
    row.push(quoted?.cell ?? text.slice(at, end));
    if (text[end] === separator) {
      at = end + 1;
      continue;
    }
    rows.push(row);
    row = [];
    at = end + (text.startsWith('\r\n', end) ? 2 : 1);
    // The break after the last row begins no further one.
    if (at >= text.length) break;
  }
  return rows;
}

function plainEnd(text: string, from: number, separator: string): number {
  for (let at = from; at < text.length; at += 1) {
    const sign = text[at];
    if (sign === separator || sign === '\n' || sign === '\r') return at;
  }
  return text.length;
}

function readQuoted(
  text: string,
  from: number,
  separator: string,
): { readonly cell: string; readonly end: number } | undefined {
  let cell = '';
  for (let at = from + 1; ; ) {
    const mark = text.indexOf('"', at);
    if (mark === -1) return undefined;
    cell += text.slice(at, mark);
    if (text[mark + 1] === '"') {
      cell += '"';
      at = mark + 2;
      continue;
    }
    const next = text[mark + 1];
    const ends = next === undefined || next === separator || next === '\n' || next === '\r';
    return ends ? { cell, end: mark + 1 } : undefined;
  }
}

export interface ClipboardCell {
  readonly text: string;
  /** A text stays one in a spreadsheet: `=1+1` is not calculated and `007` keeps its zeros. */
  readonly literal: boolean;
}

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escaped = (text: string): string => text.replaceAll(/[&<>"]/g, (sign) => ESCAPES[sign] ?? sign);

export function writeHtmlTable(rows: readonly (readonly ClipboardCell[])[]): string {
  const cell = ({ text, literal }: ClipboardCell): string => {
    const shown = escaped(text).replaceAll(/\r\n|\r|\n/g, '<br>');
    if (!literal) return `<td>${shown}</td>`;
    const sheets = escaped(JSON.stringify({ 1: 2, 2: text }));
    return `<td style="mso-number-format:'\\@';white-space:pre-wrap" data-sheets-value="${sheets}">${shown}</td>`;
  };
  return `<meta charset="utf-8"><table>${rows.map((row) => `<tr>${row.map(cell).join('')}</tr>`).join('')}</table>`;
}
