// What arrives on one connection, split into messages ("Message Formats" in PostgreSQL's documentation). Those that every
// statement has are read here, the others are handed on as bytes. Nothing of a chunk is kept when it has been read: so a
// connection reads into one buffer, where Node otherwise allocates 64 KB for every chunk, however small.

import { freeBytes } from '../../load/freed-bytes.ts';

/** What is done with the messages, in the order of their arrival. */
export interface Receiver {
  readonly onRow: (fields: (string | null)[]) => void;
  readonly onCommandComplete: (text: string) => void;
  readonly onReady: (status: string) => void;
  /** Any other message, whole. The bytes are valid only during the call. */
  readonly onOther: (bytes: Buffer) => void;
}

const ROW = 0x44;
const COMMAND_COMPLETE = 0x43;
const READY = 0x5a;
const BIND_COMPLETE = 0x32;

/** The type, and the length, which counts itself. */
const HEAD_BYTES = 5;
/** For the part of a message that a chunk ends with; a longer message gets a buffer of its own. */
const KEPT_BYTES = 4 * 1024;

export class Incoming {
  readonly #receiver: Receiver;
  readonly #kept = Buffer.allocUnsafeSlow(KEPT_BYTES);
  /** The beginning of a message that is not whole yet. */
  #part = this.#kept;
  #partBytes = 0;

  constructor(receiver: Receiver) {
    this.#receiver = receiver;
  }

  read(chunk: Buffer): void {
    let at = this.#partBytes === 0 ? 0 : this.#complete(chunk);
    while (at + HEAD_BYTES <= chunk.length) {
      const end = at + lengthAt(chunk, at);
      if (end > chunk.length) break;
      this.#handle(chunk, at, end);
      at = end;
    }
    if (at < chunk.length) this.#keep(chunk, at);
  }

  #keep(chunk: Buffer, start: number): void {
    const bytes = chunk.length - start;
    if (bytes >= HEAD_BYTES) this.#makeRoom(lengthAt(chunk, start));
    chunk.copy(this.#part, 0, start);
    this.#partBytes = bytes;
  }

  /** Adds the rest of the message, and handles it when it is whole. Returns where the next begins. */
  #complete(chunk: Buffer): number {
    let at = 0;
    if (this.#partBytes < HEAD_BYTES) {
      at = this.#add(chunk, 0, HEAD_BYTES);
      if (this.#partBytes < HEAD_BYTES) return at;
      this.#makeRoom(lengthAt(this.#part, 0));
    }
    const length = lengthAt(this.#part, 0);
    at = this.#add(chunk, at, length);
    if (this.#partBytes < length) return at;
    const message = this.#part;
    this.#part = this.#kept;
    this.#partBytes = 0;
    this.#handle(message, 0, length);
    if (message !== this.#kept) freeBytes(message);
    return at;
  }

  /** Adds bytes of the chunk until there are `length`. Returns where they end. */
  #add(chunk: Buffer, start: number, length: number): number {
    const end = Math.min(chunk.length, start + length - this.#partBytes);
    chunk.copy(this.#part, this.#partBytes, start, end);
    this.#partBytes += end - start;
    return end;
  }

  #makeRoom(length: number): void {
    if (length <= this.#part.length) return;
    const larger = Buffer.allocUnsafeSlow(length);
    this.#part.copy(larger, 0, 0, this.#partBytes);
    this.#part = larger;
  }

  #handle(bytes: Buffer, start: number, end: number): void {
    const type = bytes[start];
    const body = start + HEAD_BYTES;
    if (type === ROW) this.#receiver.onRow(rowAt(bytes, body));
    else if (type === READY) this.#receiver.onReady(String.fromCharCode(bytes[body]!));
    // It ends with a zero.
    else if (type === COMMAND_COMPLETE) this.#receiver.onCommandComplete(bytes.toString('latin1', body, end - 1));
    // Nothing depends on BindComplete.
    else if (type !== BIND_COMPLETE) this.#receiver.onOther(bytes.subarray(start, end));
  }
}

function rowAt(bytes: Buffer, start: number): (string | null)[] {
  const count = (bytes[start]! << 8) | bytes[start + 1]!;
  const fields = new Array<string | null>(count);
  let at = start + 2;
  for (let n = 0; n < count; n++) {
    const length = int32At(bytes, at);
    at += 4;
    // -1 is null.
    fields[n] = length < 0 ? null : bytes.toString('utf8', at, at + length);
    at += Math.max(0, length);
  }
  return fields;
}

const lengthAt = (bytes: Buffer, start: number): number => 1 + int32At(bytes, start + 1);

const int32At = (bytes: Buffer, at: number): number =>
  (bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!;
