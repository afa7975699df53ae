// The protocol between the server and a thumbnail process, over stdin and stdout: frames of one byte for the kind, four
// bytes for the length, and a payload. Node's own IPC channel accepts messages of any length and shape, and the process
// may be controlled by a malicious image.

/**
 * To the process: `data` with chunks of the file, then `end` with the size of the thumbnail, or `abort`. From the process:
 * exactly one reply for each `end` or `abort`, possibly before it: the WebP, or a line with the reason and lines of
 * detail. After `leaving` the process accepts no more jobs.
 */
export const FRAME = { data: 1, end: 2, abort: 3, thumbnail: 4, refused: 5, leaving: 6 } as const;

export const INPUT_BYTES_MAX = 64 * 1024 * 1024;
export const CHUNK_BYTES_MAX = 64 * 1024;
/** A 1024 × 1024 thumbnail of pure noise has 1.2 MB. */
const PAYLOAD_BYTES_MAX = 8 * 1024 * 1024;
const HEADER_BYTES = 5;

export function frameHeader(kind: number, payloadBytes: number): Buffer {
  const header = Buffer.allocUnsafe(HEADER_BYTES);
  header.writeUInt8(kind, 0);
  header.writeUInt32BE(payloadBytes, 1);
  return header;
}

/** Accepts chunks and calls `onFrame` for each complete frame; throws at a frame beyond the bound. */
export function frameReader(onFrame: (kind: number, payload: Buffer) => void): (chunk: Buffer) => void {
  let chunks: Buffer[] = [];
  let held = 0;
  let needed = HEADER_BYTES;
  return (chunk) => {
    chunks.push(chunk);
    held += chunk.length;
    if (held < needed) return;
    let bytes = Buffer.concat(chunks, held);
    for (needed = HEADER_BYTES; bytes.length >= needed; needed = HEADER_BYTES) {
      const payloadBytes = bytes.readUInt32BE(1);
      if (payloadBytes > PAYLOAD_BYTES_MAX) throw new Error(`A frame of ${payloadBytes} bytes is too long`);
      needed = HEADER_BYTES + payloadBytes;
      if (bytes.length < needed) break;
      onFrame(bytes.readUInt8(0), bytes.subarray(HEADER_BYTES, needed));
      bytes = bytes.subarray(needed);
    }
    chunks = [bytes];
    held = bytes.length;
  };
}
