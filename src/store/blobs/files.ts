// Reading and writing at a position of an open file, for the store on disk and for the spool of the S3 store.

import type { FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';

/**
 * With the stream's own buffer, each reader holds at most twice this. Small, because buffers are collected late: with
 * 64 KiB, 32 concurrent uploads took 70 MB, most of it garbage.
 */
export const CHUNK_BYTES = 16 * 1024;

/** Writes all bytes: a single write may be short, as on a disk that is nearly full. */
export async function writeAt(handle: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await handle.write(bytes, done, bytes.length - done, position + done);
    if (bytesWritten === 0) throw new Error('the file takes no more bytes');
    done += bytesWritten;
  }
}

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
