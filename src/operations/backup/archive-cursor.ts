// The entries of an archive one by one, with a look at the next: a table ends where an entry of something else begins.

import { type ArchiveEntry, readArchive } from '../../domain/backup/archive-reader.ts';

export class ArchiveCursor {
  readonly #entries: AsyncGenerator<ArchiveEntry>;
  #next: ArchiveEntry | undefined;

  constructor(archive: AsyncIterable<Uint8Array>) {
    this.#entries = readArchive(archive);
  }

  /** The entry that `take` will return. */
  async peek(): Promise<ArchiveEntry | undefined> {
    this.#next ??= (await this.#entries.next()).value as ArchiveEntry | undefined;
    return this.#next;
  }

  async take(): Promise<ArchiveEntry | undefined> {
    const entry = await this.peek();
    this.#next = undefined;
    return entry;
  }

  /** The parts of one table, up to the first entry that is none. */
  async *parts(isPart: (entry: ArchiveEntry) => boolean): AsyncGenerator<Buffer> {
    for (;;) {
      const entry = await this.peek();
      if (entry === undefined || !('bytes' in entry) || entry.kind === 'attachment' || !isPart(entry)) return;
      await this.take();
      yield entry.bytes;
    }
  }

  async close(): Promise<void> {
    await this.#entries.return(undefined);
  }
}
