// Where an export goes: to the disk where the browser lets a page write there, otherwise into pieces of one Blob.

import { Zip, ZipDeflate } from 'fflate';
import { MovingFailure } from '../../../../src/moving/failure.ts';
import { type CsvForm, csvWriter } from '../../../../src/moving/formats/csv-write.ts';
import type { FileFormat } from '../../../../src/moving/formats/format-names.ts';
import { jsonLinesWriter } from '../../../../src/moving/formats/json-lines.ts';
import type { TableWriter, TextOutput } from '../../../../src/moving/formats/table.ts';
import { SHEET_PART, sheetWriter, XLSX_PARTS } from '../../../../src/moving/formats/xlsx-write.ts';

const PIECE_CHARACTERS = 256 * 1024;
/** Of a file that is put together in memory. */
export const BLOB_BYTES_MAX = 512 * 1024 ** 2;

export interface ByteOutput {
  write(bytes: Uint8Array<ArrayBuffer>): Promise<void>;
  /** The whole file, unless it went to the disk. */
  end(): Promise<Blob | undefined>;
  /** Leaves nothing. */
  abort(): Promise<void>;
}

export async function openOutput(target: FileSystemFileHandle | undefined): Promise<ByteOutput> {
  if (target === undefined) return blobOutput();
  const file = await target.createWritable();
  return {
    write: (bytes) => file.write(bytes),
    async end() {
      await file.close();
      return undefined;
    },
    abort: () => file.abort(),
  };
}

export function blobOutput(): ByteOutput {
  let pieces: Blob[] = [];
  let size = 0;
  return {
    async write(bytes) {
      size += bytes.length;
      if (size > BLOB_BYTES_MAX) throw new MovingFailure('largeExport', { count: BLOB_BYTES_MAX / 1024 ** 2 });
      // The browser may keep a Blob on the disk, and an array of bytes not.
      pieces.push(new Blob([bytes]));
    },
    end: async () => new Blob(pieces),
    abort: async () => {
      pieces = [];
    },
  };
}

export function tableWriter(
  output: ByteOutput,
  header: readonly string[],
  { format, csv }: { readonly format: FileFormat; readonly csv: CsvForm },
): TableWriter {
  if (format === 'csv') return csvWriter(encoded(output), header, csv);
  return format === 'jsonl' ? jsonLinesWriter(encoded(output), header) : sheetWriter(zipped(output), header);
}

const UTF_8 = new TextEncoder();

/** Text is gathered to larger pieces, each of which is a message to the disk. */
function encoded(output: ByteOutput): TextOutput {
  let waiting = '';
  const write = async (text: string, atOnce: boolean) => {
    waiting += text;
    if (!atOnce && waiting.length < PIECE_CHARACTERS) return;
    const piece = UTF_8.encode(waiting);
    waiting = '';
    await output.write(piece);
  };
  return { write: (text) => write(text, false), end: (text) => write(text, true) };
}

/** A zip with the sheet in it. */
function zipped(output: ByteOutput): TextOutput {
  const found: Uint8Array<ArrayBuffer>[] = [];
  const zip = new Zip((error, bytes) => {
    if (error !== null) throw error;
    found.push(bytes as Uint8Array<ArrayBuffer>);
  });
  for (const [name, xml] of XLSX_PARTS) {
    const part = new ZipDeflate(name);
    zip.add(part);
    part.push(UTF_8.encode(xml), true);
  }
  const sheet = new ZipDeflate(SHEET_PART);
  zip.add(sheet);
  const flush = async () => {
    for (const bytes of found.splice(0)) await output.write(bytes);
  };
  const text = encoded({
    write: async (bytes) => {
      sheet.push(bytes);
      await flush();
    },
    end: async () => undefined,
    abort: async () => undefined,
  });
  return {
    write: text.write,
    async end(last) {
      await text.end(last);
      sheet.push(new Uint8Array(0), true);
      zip.end();
      await flush();
    },
  };
}
