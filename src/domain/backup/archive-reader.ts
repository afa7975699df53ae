// Reads the archive of a backup from its first byte to its last, and refuses one that is damaged or was cut short. At most one
// part of a table is held in memory.

import { createHash } from 'node:crypto';
import {
  ARCHIVE_FORMAT,
  type ArchivedApplication,
  type ArchiveName,
  type ArchiveTotals,
  type Manifest,
  parseArchiveName,
  TABLE_PART_BYTES_MAX,
} from './archive.ts';
import { paddingOf, readTarHeader, TAR_BLOCK_BYTES } from './tar.ts';

/** The message is a sentence for the operator. */
export class ArchiveProblem extends Error {}

export type ArchiveEntry =
  | { readonly kind: 'manifest'; readonly manifest: Manifest }
  | { readonly kind: 'system'; readonly table: string; readonly bytes: Buffer }
  | { readonly kind: 'application'; readonly application: ArchivedApplication }
  | { readonly kind: 'table'; readonly applicationId: string; readonly table: string; readonly bytes: Buffer }
  | ArchivedAttachment
  | { readonly kind: 'missing'; readonly applicationId: string; readonly attachmentId: string }
  | { readonly kind: 'end'; readonly totals: ArchiveTotals };

export interface ArchivedAttachment {
  readonly kind: 'attachment';
  readonly applicationId: string;
  readonly attachmentId: string;
  readonly size: number;
  /** To be read to the end before the next entry. If they are not the attachment's own, a `missing` entry follows. */
  readonly bytes: AsyncIterable<Buffer>;
}

type WholeName = Exclude<ArchiveName, { kind: 'attachment' }>;
type AttachmentName = Extract<ArchiveName, { kind: 'attachment' }>;

const cutShort = (bytes: number): ArchiveProblem =>
  new ArchiveProblem(
    `The backup is not complete: it ends after ${bytes.toLocaleString('en')} bytes, before its end marker. It was cut short while it was made or copied.`,
  );
const damaged = (name: string): ArchiveProblem =>
  new ArchiveProblem(`The backup is damaged: the bytes of ${name} do not match their SHA-256.`);
const strange = (name: string): ArchiveProblem =>
  new ArchiveProblem(`The backup has a file that does not belong there: ${name.slice(0, 200)}.`);
const NO_BACKUP = 'This is not a backup that `cartulary backup` has made.';

/** Hands out bytes of a stream in the pieces that are asked for. */
class ByteSource {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #rest: Buffer = Buffer.alloc(0);
  /** The bytes handed out so far. */
  read = 0;

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  async *take(bytes: number): AsyncGenerator<Buffer> {
    for (let left = bytes; left > 0; ) {
      if (this.#rest.length === 0) await this.#fill();
      const some = this.#rest.subarray(0, left);
      this.#rest = this.#rest.subarray(some.length);
      this.read += some.length;
      left -= some.length;
      yield some;
    }
  }

  async exactly(bytes: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    for await (const part of this.take(bytes)) parts.push(part);
    return parts.length === 1 ? parts[0]! : Buffer.concat(parts);
  }

  /** Lets go of a stream that is not read to its end. */
  async close(): Promise<void> {
    await this.#chunks.return?.();
  }

  /** Reads what follows, so that its sender is not cut off. */
  async drain(): Promise<void> {
    while ((await this.#chunks.next()).done !== true);
  }

  async #fill(): Promise<void> {
    const { done, value } = await this.#chunks.next();
    if (done === true) throw cutShort(this.read);
    this.#rest = Buffer.from(value.buffer, value.byteOffset, value.length);
  }
}

/** The last entry is the end: without it the reading fails. */
export async function* readArchive(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<ArchiveEntry> {
  const source = new ByteSource(chunks);
  try {
    yield* new Reading(source).entries();
    await source.drain();
  } finally {
    await source.close();
  }
}

class Reading {
  readonly #source: ByteSource;
  readonly #headers = createHash('sha256');
  #files = 0;
  #attachments = 0;
  #missing = 0;
  #applications = 0;
  /** An attachment whose bytes were not its own: the next entry has to say so. */
  #unmatched: { readonly name: string; readonly attachmentId: string } | undefined;

  constructor(source: ByteSource) {
    this.#source = source;
  }

  async *entries(): AsyncGenerator<ArchiveEntry> {
    for (;;) {
      const header = await this.#source.exactly(TAR_BLOCK_BYTES);
      const file = readTarHeader(header);
      if (file === 'end') throw cutShort(this.#source.read);
      const name = file && parseArchiveName(file.name);
      if (this.#files === 0 && name?.kind !== 'manifest') throw new ArchiveProblem(NO_BACKUP);
      if (file === undefined || name === undefined) throw strange(file?.name ?? 'an unreadable header');
      if (
        this.#unmatched !== undefined &&
        !(name.kind === 'missing' && name.attachmentId === this.#unmatched.attachmentId)
      ) {
        throw damaged(this.#unmatched.name);
      }
      this.#unmatched = undefined;
      if (name.kind === 'end') {
        yield await this.#readEnd(file.size);
        return;
      }
      this.#headers.update(header);
      this.#files += 1;
      if (name.kind === 'attachment') yield* this.#readAttachment(name, file);
      else yield await this.#readWhole(name, file);
      await this.#source.exactly(paddingOf(file.size));
    }
  }

  async #readWhole(name: WholeName, file: { name: string; size: number }): Promise<ArchiveEntry> {
    if (file.size > TABLE_PART_BYTES_MAX) throw strange(file.name);
    const bytes = await this.#source.exactly(file.size);
    if ('hash' in name && createHash('sha256').update(bytes).digest('hex') !== name.hash) throw damaged(file.name);
    switch (name.kind) {
      case 'manifest':
        this.#headers.update(bytes);
        return { kind: 'manifest', manifest: readManifest(bytes) };
      case 'application':
        this.#applications += 1;
        return { kind: 'application', application: parse(bytes, file.name) as ArchivedApplication };
      case 'missing':
        this.#missing += 1;
        return name;
      case 'system':
      case 'table':
        return { ...name, bytes };
      case 'end':
        throw strange(file.name);
    }
  }

  async *#readAttachment(name: AttachmentName, { name: path, size }: { name: string; size: number }) {
    const { applicationId, attachmentId } = name;
    this.#attachments += 1;
    const hash = createHash('sha256');
    const source = this.#source;
    let left = size;
    const bytes = async function* () {
      for await (const chunk of source.take(left)) {
        left -= chunk.length;
        hash.update(chunk);
        yield chunk;
      }
    };
    yield { kind: 'attachment', applicationId, attachmentId, size, bytes: bytes() } as const;
    // What the reader has left.
    for await (const _ of bytes());
    if (hash.digest('hex') !== name.hash) this.#unmatched = { name: path, attachmentId };
  }

  async #readEnd(size: number): Promise<ArchiveEntry> {
    const totals = parse(await this.#source.exactly(Math.min(size, TABLE_PART_BYTES_MAX)), 'end.json') as ArchiveTotals;
    const { files, applications, attachments, missing, sha256 } = totals;
    const isComplete =
      files === this.#files &&
      applications === this.#applications &&
      attachments === this.#attachments &&
      missing === this.#missing &&
      sha256 === this.#headers.digest('hex');
    if (!isComplete) {
      throw new ArchiveProblem('The backup is damaged: its end marker does not match the files before it.');
    }
    await this.#source.exactly(paddingOf(size));
    return { kind: 'end', totals };
  }
}

function parse(bytes: Buffer, name: string): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    throw damaged(name);
  }
}

function readManifest(bytes: Buffer): Manifest {
  let manifest: Partial<Manifest>;
  try {
    manifest = Object(JSON.parse(bytes.toString()));
  } catch {
    throw new ArchiveProblem(NO_BACKUP);
  }
  const { cartularyBackup: format, program } = manifest;
  if (typeof format !== 'number') throw new ArchiveProblem(NO_BACKUP);
  if (format > ARCHIVE_FORMAT) {
    throw new ArchiveProblem(
      `The backup was made by a newer version of Cartulary (${program}) in a format that this version does not know. Restore it with that version.`,
    );
  }
  return manifest as Manifest;
}
