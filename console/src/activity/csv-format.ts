// The log as a table for spreadsheets, with names of columns in the viewer's language.

import { csvWriter } from '../../../src/moving/formats/csv-write.ts';
import { COLUMNS, cellsOf, type ExportColumn, type ExportFormat } from './export.ts';

const FORM = { delimiter: ',', byteOrderMark: true };

export function csvFormat(nameOf: (column: ExportColumn) => string): ExportFormat {
  let written = '';
  const output = {
    write: async (text: string) => {
      written += text;
    },
    end: async (text: string) => {
      written += text;
    },
  };
  const take = (): string => {
    const text = written;
    written = '';
    return text;
  };
  const writer = csvWriter(output, COLUMNS.map(nameOf), FORM);
  return {
    type: 'text/csv;charset=utf-8',
    ending: 'csv',
    line: (entry) => {
      const cells = cellsOf(entry);
      void writer.write(COLUMNS.map((column) => cells[column]));
      return take();
    },
    // The heading of a table without rows.
    end: () => {
      void writer.end();
      return take();
    },
  };
}
