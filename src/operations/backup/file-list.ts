// The files that a backup still has to copy when its snapshot has ended, in a temporary file: a list of millions does not
// belong into memory. The file has no name, so that nothing is left of it when the process ends.

import { randomBytes } from 'node:crypto';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { StoredFileRow } from '../../store/backup/snapshot.ts';

export interface ListedFile extends StoredFileRow {
  readonly applicationId: string;
}

export class FileList {
  readonly #file: FileHandle;

  private constructor(file: FileHandle) {
    this.#file = file;
  }

  static async create(): Promise<FileList> {
    const path = join(tmpdir(), `cartulary-backup-${randomBytes(8).toString('hex')}`);
    const file = await open(path, 'wx+', 0o600);
    await unlink(path);
    return new FileList(file);
  }

  async add(applicationId: string, rows: readonly StoredFileRow[]): Promise<void> {
    const lines = rows.map(({ id, size, hash }) => `${applicationId} ${id} ${size} ${hash}\n`);
    await this.#file.appendFile(lines.join(''));
  }

  async *files(): AsyncGenerator<ListedFile> {
    for await (const line of this.#file.readLines({ start: 0 })) {
      const [applicationId = '', id = '', size, hash = ''] = line.split(' ');
      yield { applicationId, id, size: Number(size), hash };
    }
  }

  /** Not awaited: it waits for a stream that may still read. */
  async close(): Promise<void> {
    void this.#file.close().catch(() => undefined);
  }
}
