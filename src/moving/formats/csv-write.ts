// Writes CSV (RFC 4180) with the line ends and quotes that spreadsheets expect.

import { withGuard } from './csv-guard.ts';
import { type Cell, SheetDate, type TableWriter, type TextOutput } from './table.ts';

/** Excel reads UTF-8 only with a byte order mark. */
const BYTE_ORDER_MARK = '\ufeff';

export interface CsvForm {
  readonly delimiter: string;
  readonly byteOrderMark: boolean;
}

export function csvWriter(
  output: TextOutput,
  header: readonly string[],
  { delimiter, byteOrderMark }: CsvForm,
): TableWriter {
  let before = `${byteOrderMark ? BYTE_ORDER_MARK : ''}${csvLine(header, delimiter)}`;
  const line = (cells: readonly Cell[]) => {
    const text = before + csvLine(cells, delimiter);
    before = '';
    return text;
  };
  return {
    write: (cells) => output.write(line(cells)),
    end: () => output.end(before),
  };
}

const csvLine = (cells: readonly Cell[], delimiter: string): string =>
  `${cells.map((cell) => quotedCell(cellText(cell), delimiter)).join(delimiter)}\r\n`;

function cellText(cell: Cell): string {
  if (cell === undefined) return '';
  if (typeof cell === 'string') return withGuard(cell);
  if (cell instanceof SheetDate) return cell.text;
  // A number begins with a minus at most and is no formula.
  return typeof cell === 'object' ? JSON.stringify(cell) : String(cell);
}

/** Also what other programs separate cells by: a text such as `a;=1` would begin a cell with a formula there. */
const quotedCell = (text: string, delimiter: string): string =>
  /["\r\n,;\t|]/.test(text) || text.includes(delimiter) || /^\s|\s$/.test(text)
    ? `"${text.replaceAll('"', '""')}"`
    : text;
