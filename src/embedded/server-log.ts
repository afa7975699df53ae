// PostgreSQL's own log in the data folder: opened for PostgreSQL, bounded in size, and read when a start fails. The server
// opens the file, so that it belongs to the server's account and not to PostgreSQL's.
import { constants } from 'node:fs';
import { copyFile, type FileHandle, open, rm, stat, truncate } from 'node:fs/promises';
import path from 'node:path';
import { errorCode } from './failure.ts';

const LOG_BYTES_MAX = 8 * 2 ** 20;
const TAIL_BYTES_MAX = 16_384;
const TAIL_LINES = 5;

export class ServerLog {
  readonly file: string;

  constructor(folder: string) {
    this.file = path.join(folder, 'postgres.log');
  }

  /** Opened for appending, so that it can be truncated while PostgreSQL writes. */
  async open(): Promise<FileHandle> {
    const { O_APPEND, O_CREAT, O_NOFOLLOW, O_WRONLY } = constants;
    const flags = O_APPEND | O_CREAT | O_NOFOLLOW | O_WRONLY;
    try {
      return await open(this.file, flags, 0o600);
    } catch (error) {
      // A link, or the log of an earlier run by root; we own the folder, so we may replace it.
      if (!['EACCES', 'ELOOP'].includes(errorCode(error))) throw error;
      await rm(this.file, { force: true });
      return open(this.file, flags | constants.O_EXCL, 0o600);
    }
  }

  async bytes(): Promise<number> {
    return (await stat(this.file).catch(() => null))?.size ?? 0;
  }

  /** Keeps one earlier file. Copied and truncated, not renamed, because PostgreSQL keeps writing to the same file. */
  async bound(): Promise<void> {
    if ((await this.bytes()) <= LOG_BYTES_MAX) return;
    // A link with this name must not be followed.
    await rm(`${this.file}.1`, { force: true });
    await copyFile(this.file, `${this.file}.1`, constants.COPYFILE_EXCL);
    await truncate(this.file, 0);
  }

  /** The last lines written after `fromByte`. */
  async tail(fromByte: number): Promise<string> {
    const end = await this.bytes();
    const begin = Math.max(Math.min(fromByte, end), end - TAIL_BYTES_MAX);
    const file = await open(this.file, 'r');
    try {
      const bytes = new Uint8Array(end - begin);
      const { bytesRead } = await file.read(bytes, 0, bytes.length, begin);
      const lines = new TextDecoder().decode(bytes.subarray(0, bytesRead)).split('\n');
      return lines
        .filter((line) => line.trim() !== '')
        .slice(-TAIL_LINES)
        .join('\n');
    } finally {
      await file.close();
    }
  }
}
