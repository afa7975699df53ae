// The zip of a chosen Excel file: its directory, read from its end, and its parts, unpacked by the browser as a stream.

import { MovingFailure } from '../../../../src/moving/failure.ts';
import { ENTRIES_MAX, type ZipArchive } from '../../../../src/moving/formats/xlsx-parts.ts';

const END = 0x06054b50;
const END_64 = 0x06064b50;
const LOCATOR_64 = 0x07064b50;
const ENTRY = 0x02014b50;
const LOCAL = 0x04034b50;
const END_BYTES = 22;
const LOCATOR_BYTES = 20;
const LOCAL_BYTES = 30;
/** A comment may follow the end. */
const COMMENT_BYTES_MAX = 65_535;
/** Of ten thousand entries with long names. */
const DIRECTORY_BYTES_MAX = 16 * 1024 ** 2;
const SEE_64 = 0xffffffff;

interface Entry {
  readonly method: number;
  readonly packed: number;
  readonly size: number;
  readonly at: number;
}

export async function openZipFile(file: File): Promise<ZipArchive> {
  const entries = await readDirectory(file);
  return {
    name: file.name,
    sizeOf: (part) => entries.get(part)?.size,
    open: async (part) => {
      const entry = entries.get(part);
      if (entry === undefined) throw new Error(`there is no part ${part}`);
      return unpacked(file, entry);
    },
    close: () => undefined,
  };
}

async function viewOf(file: File, from: number, to: number): Promise<DataView> {
  return new DataView(await file.slice(from, to).arrayBuffer());
}

const notExcel = (file: File, text: string): MovingFailure => new MovingFailure('notExcel', { file: file.name, text });

async function readDirectory(file: File): Promise<Map<string, Entry>> {
  const tailAt = Math.max(0, file.size - END_BYTES - COMMENT_BYTES_MAX);
  const tail = await viewOf(file, tailAt, file.size);
  let end = tail.byteLength - END_BYTES;
  while (end >= 0 && tail.getUint32(end, true) !== END) end -= 1;
  if (end < 0) throw notExcel(file, 'end of central directory record signature not found');
  const { at, bytes } = await directoryPlace(file, tail, end, tailAt);
  if (bytes > DIRECTORY_BYTES_MAX || at + bytes > file.size) throw notExcel(file, 'its directory is damaged');
  return entriesIn(file, await viewOf(file, at, at + bytes));
}

/** Where the directory is; large files say it in a record of their own. */
async function directoryPlace(file: File, tail: DataView, end: number, tailAt: number) {
  const place = { bytes: tail.getUint32(end + 12, true), at: tail.getUint32(end + 16, true) };
  const locator = end - LOCATOR_BYTES;
  if (place.at !== SEE_64 || locator < 0 || tail.getUint32(locator, true) !== LOCATOR_64) return place;
  const at64 = Number(tail.getBigUint64(locator + 8, true));
  if (at64 + 56 > tailAt + locator) return place;
  const end64 = await viewOf(file, at64, at64 + 56);
  if (end64.getUint32(0, true) !== END_64) return place;
  return { bytes: Number(end64.getBigUint64(40, true)), at: Number(end64.getBigUint64(48, true)) };
}

function entriesIn(file: File, view: DataView): Map<string, Entry> {
  const entries = new Map<string, Entry>();
  for (let at = 0; at + 46 <= view.byteLength && view.getUint32(at, true) === ENTRY; ) {
    const [name, extra, comment] = [28, 30, 32].map((offset) => view.getUint16(at + offset, true));
    const nameBytes = new Uint8Array(view.buffer, at + 46, Math.min(name ?? 0, view.byteLength - at - 46));
    const path = new TextDecoder().decode(nameBytes).replace(/^\//, '');
    entries.set(path, withLargeSizes(entryAt(view, at), view, at + 46 + (name ?? 0), extra ?? 0));
    if (entries.size > ENTRIES_MAX) throw new MovingFailure('manyParts', { file: file.name, count: ENTRIES_MAX });
    at += 46 + (name ?? 0) + (extra ?? 0) + (comment ?? 0);
  }
  return entries;
}

const entryAt = (view: DataView, at: number): Entry => ({
  method: view.getUint16(at + 10, true),
  packed: view.getUint32(at + 20, true),
  size: view.getUint32(at + 24, true),
  at: view.getUint32(at + 42, true),
});

/** Numbers that do not fit stand in the extra field 1, in this order, and only those. */
function withLargeSizes(entry: Entry, view: DataView, from: number, length: number): Entry {
  const end = Math.min(from + length, view.byteLength);
  for (let at = from; at + 4 <= end; at += 4 + view.getUint16(at + 2, true)) {
    if (view.getUint16(at, true) !== 1) continue;
    let next = at + 4;
    const wide = (number: number): number => {
      if (number !== SEE_64 || next + 8 > end) return number;
      next += 8;
      return Number(view.getBigUint64(next - 8, true));
    };
    const size = wide(entry.size);
    const packed = wide(entry.packed);
    return { method: entry.method, size, packed, at: wide(entry.at) };
  }
  return entry;
}

async function* unpacked(file: File, { method, packed, size, at }: Entry): AsyncGenerator<Uint8Array> {
  const head = await viewOf(file, at, at + LOCAL_BYTES);
  if (head.byteLength < LOCAL_BYTES || head.getUint32(0, true) !== LOCAL) throw new Error('its beginning is not there');
  const from = at + LOCAL_BYTES + head.getUint16(26, true) + head.getUint16(28, true);
  const bytes = file.slice(from, from + packed);
  if (method !== 0 && method !== 8) throw new Error(`it is packed in a way (${method}) that is not known`);
  const stream = method === 0 ? bytes.stream() : bytes.stream().pipeThrough(new DecompressionStream('deflate-raw'));
  const reader = stream.getReader();
  let read = 0;
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      read += next.value.length;
      if (read > size) throw new Error('it is larger than it says');
      yield next.value;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
