// What the server and its thumbnail child say to each other over the child's stdin and stdout: frames of one byte kind,
// four bytes length and a payload. Node's own channel would do, but it reads messages of any length and any shape, and the
// child may speak for whoever made the image.

/**
 * To the child: `data` pieces of the file, then `end` with the wanted size, or `abort`. From the child: exactly one answer
 * for each `end` or `abort`, perhaps before it: the WebP, or a line with the reason and lines of detail. After `leaving`
 * the child takes no more work.
 */
export const FRAME = { data: 1, end: 2, abort: 3, thumbnail: 4, refused: 5, leaving: 6 } as const;

export const INPUT_BYTES_MAX = 64 * 1024 * 1024;
/** Pieces of the file are cut to this. */
export const PIECE_BYTES_MAX = 64 * 1024;
/** A thumbnail of 1024 × 1024 that is all noise has 1.2 MB. */
const PAYLOAD_BYTES_MAX = 8 * 1024 * 1024;
const HEADER_BYTES = 5;

export function frameHeader(kind: number, payloadBytes: number): Buffer {
  const header = Buffer.allocUnsafe(HEADER_BYTES);
  header.writeUInt8(kind, 0);
  header.writeUInt32BE(payloadBytes, 1);
  return header;
}

/** Takes chunks as they come and calls `onFrame` for each whole frame; throws at a frame beyond the bound. */
export function frameReader(onFrame: (kind: number, payload: Buffer) => void): (chunk: Buffer) => void {
  let parts: Buffer[] = [];
  let held = 0;
  let needed = HEADER_BYTES;
  return (chunk) => {
    parts.push(chunk);
    held += chunk.length;
    if (held < needed) return;
    let bytes = Buffer.concat(parts, held);
    for (needed = HEADER_BYTES; bytes.length >= needed; needed = HEADER_BYTES) {
      const payloadBytes = bytes.readUInt32BE(1);
      if (payloadBytes > PAYLOAD_BYTES_MAX) throw new Error(`A frame of ${payloadBytes} bytes is too long`);
      needed = HEADER_BYTES + payloadBytes;
      if (bytes.length < needed) break;
      onFrame(bytes.readUInt8(0), bytes.subarray(HEADER_BYTES, needed));
      bytes = bytes.subarray(needed);
    }
    parts = [bytes];
    held = bytes.length;
  };
}
