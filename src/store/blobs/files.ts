// Bytes at a position of an open file, for the stores of blobs: the one on disk, and the spool of the one on S3.

import type { FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';

/**
 * What is read at once; with the stream's own buffer, at most twice that is held for each reader. Small, because what many
 * streams throw away is collected late: with 64 KiB, 32 uploads to a store at once took 70 MB, most of it such garbage.
 */
export const CHUNK_BYTES = 16 * 1024;

/** All of it: a single write may take less than it is given, as on a disk that is nearly full. */
export async function writeAt(handle: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await handle.write(bytes, done, bytes.length - done, position + done);
    if (bytesWritten === 0) throw new Error('the file takes no more bytes');
    done += bytesWritten;
  }
}

/**
 * `length` bytes, and the handle stays open. Not the handle's own read stream: that one leaves a listener on the handle,
 * one for each part of a large file.
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

/** A failure before anybody listens does not end the process: the stream keeps it for whoever reads or pipes it. */
export function unheard(stream: Readable): Readable {
  return stream.on('error', () => undefined);
}
