// Reading and writing files, for the store on disk and for the spool of the S3 store.

import * as fs from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';

// Descriptors and not handles: for a small file, a handle takes as long as reading it (104 µs and 62 µs for 100 KB).
export const openFile: (path: string, flags: string | number, mode?: number) => Promise<number> = promisify(fs.open);
export const closeFile: (file: number) => Promise<void> = promisify(fs.close);
export const syncFile: (file: number) => Promise<void> = promisify(fs.fsync);
/** Without times that nobody reads. */
export const syncData: (file: number) => Promise<void> = promisify(fs.fdatasync);
export const statPath: (path: string) => Promise<fs.Stats> = promisify(fs.stat);
export const stateOfFile: (file: number) => Promise<fs.Stats> = promisify(fs.fstat);
const writeFile = promisify(fs.write);
const readFile = promisify(fs.read);

/** Writes all bytes: a single write may be short, as on a disk that is nearly full. */
export async function writeAll(file: number, bytes: Uint8Array, position: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await writeFile(file, bytes, done, bytes.length - done, position + done);
    if (bytesWritten === 0) throw new Error('the file takes no more bytes');
    done += bytesWritten;
  }
}

export const sizeOfFile = async (file: number): Promise<number> => (await stateOfFile(file)).size;

/** The bytes of a file that has exactly this size; undefined if it has another. */
export async function readExactly(file: number, size: number): Promise<Buffer | undefined> {
  // One byte more than expected shows a longer file.
  const bytes = Buffer.allocUnsafeSlow(size + 1);
  for (let done = 0; done <= size; ) {
    const { bytesRead } = await readFile(file, bytes, done, bytes.length - done, done);
    done += bytesRead;
    // A file of the expected size fills all but the last byte at once: no other read is needed to see its end.
    if (done === size || bytesRead === 0) return done === size ? bytes.subarray(0, size) : undefined;
  }
  return undefined;
}

/**
 * With the stream's own buffer, each reader holds at most twice this. Small, because buffers are collected late: with
 * 64 KiB, 32 concurrent uploads took 70 MB, most of it garbage.
 */
export const CHUNK_BYTES = 16 * 1024;

/**
 * Reads `length` bytes and leaves the handle open. Not the handle's own read stream, which would leave a listener on the
 * handle for each part of a large file.
 */
export function readAt(handle: FileHandle, start: number, length: number): Readable {
  const end = start + length;
  let position = start;
  const next = async (): Promise<Uint8Array | null> => {
    if (position === end) return null;
    const buffer = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, end - position));
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, position);
    if (bytesRead === 0) throw new Error('the file is shorter than what was written to it');
    position += bytesRead;
    return buffer.subarray(0, bytesRead);
  };
  return new Readable({
    highWaterMark: CHUNK_BYTES,
    read() {
      next().then(
        (bytes) => this.push(bytes),
        (error: Error) => this.destroy(error),
      );
    },
  });
}

/** An error before the first listener must not end the process; the stream keeps it for its reader. */
export function deferErrors(stream: Readable): Readable {
  return stream.on('error', () => undefined);
}
