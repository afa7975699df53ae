// The framing of PostgreSQL's protocol, for what stands between the server and the database.

export interface Pending {
  bytes: Buffer;
  /** Whether the next message has no type byte, as the first of a client. */
  untyped: boolean;
}

/** The messages that end in the chunk. Each has a type byte and a length that counts itself. */
export function* messagesIn(pending: Pending, chunk: Uint8Array): Generator<Buffer> {
  pending.bytes = Buffer.concat([pending.bytes, chunk]);
  for (;;) {
    const { bytes, untyped } = pending;
    const head = untyped ? 0 : 1;
    if (bytes.length < head + 4) return;
    const length = head + bytes.readInt32BE(head);
    if (bytes.length < length) return;
    pending.bytes = bytes.subarray(length);
    yield bytes.subarray(0, length);
  }
}
