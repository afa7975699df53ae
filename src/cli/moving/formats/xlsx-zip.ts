// The parts of an Excel file, which is a zip of XML files. The directory of the zip is read from its end, and each part
// is unpacked in a stream, so that a part that unpacks to a gigabyte takes time but no memory.

import { SaxesParser } from 'saxes';
import { type Entry, open, type ZipFile } from 'yauzl';
import { CommandFailure } from '../../failure.ts';
import { CELL_CHARACTERS_MAX } from './table.ts';

/** Excel's own files have some dozens. */
const ENTRIES_MAX = 10_000;
/** Of one part. A million rows of twenty columns take about 1 GB. */
const PART_BYTES_MAX = 16 * 1024 ** 3;

export interface ZipParts {
  has(name: string): boolean;
  /** Unpacks a part and hands its tags and texts to `events`; what they push into `out` is yielded. */
  read<T>(name: string, events: XmlEvents, out: T[]): AsyncGenerator<T>;
  progress(): number;
  close(): void;
}

export interface XmlEvents {
  open?(name: string, attributes: Readonly<Record<string, string>>): void;
  text?(text: string): void;
  close?(name: string): void;
}

export async function openZip(file: string): Promise<ZipParts> {
  const zip = await openFile(file);
  const entries = await entriesOf(file, zip);
  const state = { read: 0, of: 1 };
  return {
    has: (name) => entries.has(name),
    read: (name, events, out) => readPart({ file, zip, entry: entries.get(name), name, state }, events, out),
    progress: () => Math.min(1, state.read / state.of),
    close: () => zip.close(),
  };
}

function openFile(file: string): Promise<ZipFile> {
  return new Promise((resolve, reject) => {
    open(file, { lazyEntries: true, autoClose: false, validateEntrySizes: true }, (error, zip) => {
      if (error === null && zip !== undefined) resolve(zip);
      else
        reject(
          new CommandFailure(
            `${file} is not an Excel file (.xlsx): ${error?.message}. Older .xls files have to be saved as .xlsx.`,
          ),
        );
    });
  });
}

function entriesOf(file: string, zip: ZipFile): Promise<Map<string, Entry>> {
  return new Promise((resolve, reject) => {
    const entries = new Map<string, Entry>();
    zip.on('error', (error: Error) => reject(new CommandFailure(`${file} is damaged: ${error.message}.`)));
    zip.on('end', () => resolve(entries));
    zip.on('entry', (entry: Entry) => {
      entries.set(entry.fileName.replace(/^\//, ''), entry);
      if (entries.size > ENTRIES_MAX) reject(new CommandFailure(`${file} has more than ${ENTRIES_MAX} parts.`));
      else zip.readEntry();
    });
    zip.readEntry();
  });
}

interface Part {
  readonly file: string;
  readonly zip: ZipFile;
  readonly entry: Entry | undefined;
  readonly name: string;
  readonly state: { read: number; of: number };
}

async function* readPart<T>({ file, zip, entry, name, state }: Part, events: XmlEvents, out: T[]): AsyncGenerator<T> {
  if (entry === undefined) throw new CommandFailure(`${file} is damaged: it has no part ${name}.`);
  if (entry.uncompressedSize > PART_BYTES_MAX) throw new CommandFailure(`${file}: the part ${name} is too large.`);
  const stream = await new Promise<NodeJS.ReadableStream>((resolve, reject) => {
    zip.openReadStream(entry, (error, opened) => (error === null ? resolve(opened) : reject(error)));
  });
  let quiet = 0;
  const parser = xmlParser(events, () => {
    quiet = 0;
  });
  const decoder = new TextDecoder('utf-8', { fatal: true });
  Object.assign(state, { read: 0, of: entry.uncompressedSize });
  try {
    for await (const bytes of stream as AsyncIterable<Buffer>) {
      state.read += bytes.length;
      quiet += bytes.length;
      parser.write(decoder.decode(bytes, { stream: true }));
      if (quiet > CELL_CHARACTERS_MAX) throw new Error('a text is too long');
      yield* out.splice(0);
    }
    parser.close();
    yield* out.splice(0);
  } catch (error) {
    if (error instanceof CommandFailure) throw error;
    throw new CommandFailure(`${file} is damaged in its part ${name}: ${(error as Error).message}.`);
  }
}

/** Entities other than the five of XML are errors of the parser, so that none can grow. */
function xmlParser(events: XmlEvents, heard: () => void): SaxesParser {
  const parser = new SaxesParser({ fragment: false });
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('opentag', ({ name, attributes }) => {
    heard();
    // Without namespaces attributes are texts.
    events.open?.(localName(name), attributes as Record<string, string>);
  });
  parser.on('closetag', ({ name }) => {
    heard();
    events.close?.(localName(name));
  });
  const text = (found: string) => events.text?.(found);
  parser.on('text', text);
  parser.on('cdata', text);
  return parser;
}

const localName = (name: string): string => name.slice(name.indexOf(':') + 1);

/** Reads a part to its end, for its events only. */
export async function readAll(parts: ZipParts, name: string, events: XmlEvents): Promise<void> {
  for await (const _ of parts.read(name, events, [])) break;
}
