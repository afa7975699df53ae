// The zip of an Excel file on disk. Its directory is read from the end of the file.

import type { Writable } from 'node:stream';
import { PassThrough } from 'node:stream';
import { finished } from 'node:stream/promises';
import { type Entry, open, type ZipFile } from 'yauzl';
import { ZipFile as ZipOutput } from 'yazl';
import { MovingFailure } from '../../../moving/failure.ts';
import type { TableWriter } from '../../../moving/formats/table.ts';
import { ENTRIES_MAX, type ZipArchive } from '../../../moving/formats/xlsx-parts.ts';
import { SHEET_PART, sheetWriter, XLSX_PARTS } from '../../../moving/formats/xlsx-write.ts';
import { writeText } from './text-output.ts';

export async function openZip(file: string): Promise<ZipArchive> {
  const zip = await openFile(file);
  const entries = await entriesOf(file, zip);
  return {
    name: file,
    sizeOf: (part) => entries.get(part)?.uncompressedSize,
    open: (part) =>
      new Promise((resolve, reject) => {
        const entry = entries.get(part);
        if (entry === undefined) return reject(new Error(`there is no part ${part}`));
        zip.openReadStream(entry, (error, opened) => (error === null ? resolve(opened) : reject(error)));
      }),
    close: () => zip.close(),
  };
}

function openFile(file: string): Promise<ZipFile> {
  return new Promise((resolve, reject) => {
    open(file, { lazyEntries: true, autoClose: false, validateEntrySizes: true }, (error, zip) => {
      if (error === null && zip !== undefined) resolve(zip);
      else reject(new MovingFailure('notExcel', { file, text: String(error?.message) }));
    });
  });
}

function entriesOf(file: string, zip: ZipFile): Promise<Map<string, Entry>> {
  return new Promise((resolve, reject) => {
    const entries = new Map<string, Entry>();
    zip.on('error', (error: Error) => reject(new MovingFailure('damaged', { file, text: error.message })));
    zip.on('end', () => resolve(entries));
    zip.on('entry', (entry: Entry) => {
      entries.set(entry.fileName.replace(/^\//, ''), entry);
      if (entries.size > ENTRIES_MAX) reject(new MovingFailure('manyParts', { file, count: ENTRIES_MAX }));
      else zip.readEntry();
    });
    zip.readEntry();
  });
}

export function xlsxWriter(output: Writable, header: readonly string[]): TableWriter {
  const zip = new ZipOutput();
  for (const [name, xml] of XLSX_PARTS) zip.addBuffer(Buffer.from(xml), name);
  const sheet = new PassThrough({ highWaterMark: 256 * 1024 });
  zip.addReadStream(sheet, SHEET_PART);
  zip.end();
  zip.outputStream.pipe(output);
  return sheetWriter(
    {
      write: (text) => writeText(sheet, text),
      async end(text) {
        sheet.end(text);
        await finished(output, { readable: false });
      },
    },
    header,
  );
}
