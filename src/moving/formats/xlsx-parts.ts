// The parts of an Excel file, which is a zip of XML files. Each part is unpacked in a stream, so that one that unpacks to a
// gigabyte takes time but no memory.

import { SaxesParser } from 'saxes';
import { MovingFailure } from '../failure.ts';
import { CELL_CHARACTERS_MAX } from './table.ts';

/** Excel's own files have some dozens. */
export const ENTRIES_MAX = 10_000;
/** Of one part. A million rows of twenty columns take about 1 GB. */
const PART_BYTES_MAX = 16 * 1024 ** 3;

/** A zip whose directory has been read. */
export interface ZipArchive {
  /** Of the file. */
  readonly name: string;
  /** Unpacked; undefined if there is no such part. */
  sizeOf(part: string): number | undefined;
  /** Unpacks a part. */
  open(part: string): Promise<AsyncIterable<Uint8Array>>;
  close(): void;
}

export interface ZipParts {
  has(name: string): boolean;
  /** Unpacks a part and hands its tags and texts to `events`; what they push into `out` is yielded. */
  read<T>(name: string, events: XmlEvents, out: T[]): AsyncGenerator<T>;
  progress(): number;
}

export interface XmlEvents {
  open?(name: string, attributes: Readonly<Record<string, string>>): void;
  text?(text: string): void;
  close?(name: string): void;
}

export function zipParts(archive: ZipArchive): ZipParts {
  const state = { read: 0, of: 1 };
  return {
    has: (name) => archive.sizeOf(name) !== undefined,
    read: (name, events, out) => readPart({ archive, name, state }, events, out),
    progress: () => Math.min(1, state.read / state.of),
  };
}

interface Part {
  readonly archive: ZipArchive;
  readonly name: string;
  readonly state: { read: number; of: number };
}

async function* readPart<T>({ archive, name, state }: Part, events: XmlEvents, out: T[]): AsyncGenerator<T> {
  const { name: file } = archive;
  const size = archive.sizeOf(name);
  if (size === undefined) throw new MovingFailure('damaged', { file, text: `it has no part ${name}` });
  if (size > PART_BYTES_MAX) throw new MovingFailure('largePart', { file, text: name });
  let quiet = 0;
  const parser = xmlParser(events, () => {
    quiet = 0;
  });
  const decoder = new TextDecoder('utf-8', { fatal: true });
  Object.assign(state, { read: 0, of: size });
  try {
    for await (const bytes of await archive.open(name)) {
      state.read += bytes.length;
      quiet += bytes.length;
      parser.write(decoder.decode(bytes, { stream: true }));
      if (quiet > CELL_CHARACTERS_MAX) throw new Error('a text is too long');
      yield* out.splice(0);
    }
    parser.close();
    yield* out.splice(0);
  } catch (error) {
    if (error instanceof MovingFailure) throw error;
    throw new MovingFailure('damagedPart', { file, referred: name, text: (error as Error).message });
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
