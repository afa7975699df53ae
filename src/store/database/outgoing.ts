// The messages that we send on one connection ("Message Formats" in PostgreSQL's documentation). They are collected in one
// buffer and go out with one system call. `pg` hands every message to the socket on its own, four or five for a statement, and
// the `writev` of those was a fifth of the server's time.

import type { Socket } from 'node:net';
import { freeBytes } from '../../load/freed-bytes.ts';
import { parameterOf } from './driver.ts';

/** Holds many statements of one turn, or one with a record of usual size. Each connection keeps a buffer of this size. */
const KEPT_BYTES = 16 * 1024;
/** Beyond this, what is collected goes out without waiting for more. */
const COLLECTED_BYTES_MAX = 64 * 1024;
/** The characters of a short text are written here one by one: calling `write` costs as much as some forty of them. */
const SHORT_LENGTH_MAX = 32;
/** The bytes of a long text are counted, instead of reserving three for each character. */
const LONG_LENGTH_MIN = 2 * 1024;

const QUERY = 0x51;
const PARSE = 0x50;
const BIND = 0x42;
const CLOSE = 0x43;
const STATEMENT = 0x53;
/** Asks for the columns of the unnamed portal. */
const DESCRIBE = Buffer.from('D\0\0\0\x06P\0', 'latin1');
/** All rows of the unnamed portal. */
const EXECUTE = Buffer.from('E\0\0\0\x09\0\0\0\0\0', 'latin1');
const EXECUTE_AND_SYNC = Buffer.from('E\0\0\0\x09\0\0\0\0\0S\0\0\0\x04', 'latin1');

const NOTHING = Buffer.alloc(0);

export class Outgoing {
  /** Whether to wait for the end of this turn of the event loop, and not only of the current callback. */
  waitsForTurn = false;
  readonly #stream: Socket;
  #bytes: Buffer = NOTHING;
  #end = 0;
  #isScheduled = false;

  constructor(stream: Socket) {
    this.#stream = stream;
  }

  /** Where the next message begins, for `takeBack`. */
  get end(): number {
    return this.#end;
  }

  /** Removes what was added since, in the same callback. */
  takeBack(end: number): void {
    this.#end = end;
  }

  /** Has what was added since written soon. */
  send(): void {
    if (this.#end > COLLECTED_BYTES_MAX) {
      this.#flush();
      return;
    }
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    if (this.waitsForTurn) setImmediate(this.#flushScheduled);
    else process.nextTick(this.#flushScheduled);
  }

  /** A statement without parameters, or several. */
  addQuery(text: string): void {
    const start = this.#begin(QUERY);
    this.#addZeroEnded(text);
    this.#complete(start);
  }

  addParse(name: string, text: string): void {
    const start = this.#begin(PARSE);
    this.#addZeroEnded(name);
    this.#addZeroEnded(text);
    // The types of all parameters follow from the text.
    this.#addInt16(0);
    this.#complete(start);
  }

  addBind(name: string, params: readonly unknown[]): void {
    const start = this.#begin(BIND);
    this.#addZeroEnded('');
    this.#addZeroEnded(name);
    this.#addInt16(params.length);
    let formatAt = this.#end;
    for (let n = 0; n < params.length; n++) this.#addInt16(0);
    this.#addInt16(params.length);
    for (let n = 0; n < params.length; n++) {
      // 1 is binary.
      if (this.#addParameter(params[n])) this.#bytes[formatAt + 1] = 1;
      formatAt += 2;
    }
    // All columns as text.
    this.#addInt16(0);
    this.#complete(start);
  }

  addDescribe(): void {
    this.#addBytes(DESCRIBE);
  }

  /** Of a statement with another one after it, before the next `Sync`. */
  addExecute(): void {
    this.#addBytes(EXECUTE);
  }

  addExecuteAndSync(): void {
    this.#addBytes(EXECUTE_AND_SYNC);
  }

  /** Unlike `deallocate` it is no error when the name was never prepared, which would abort the current transaction. */
  addClose(name: string): void {
    const start = this.#begin(CLOSE);
    this.#bytes[this.#end++] = STATEMENT;
    this.#addZeroEnded(name);
    this.#complete(start);
  }

  readonly #flushScheduled = () => {
    this.#isScheduled = false;
    if (this.#end > 0) this.#flush();
  };

  #flush(): void {
    const whole = this.#bytes;
    const bytes = whole.subarray(0, this.#end);
    this.#end = 0;
    const isKept = whole.length <= KEPT_BYTES;
    // Statements on a connection that ended fail by themselves.
    if (this.#stream.writable) this.#stream.write(bytes, isKept ? undefined : () => freeBytes(whole));
    // The socket nearly always takes everything at once, and then the buffer can be used again.
    if (this.#stream.writableLength > 0 || !isKept) this.#bytes = NOTHING;
  }

  /** Returns where the message begins. */
  #begin(type: number): number {
    this.#reserve(8);
    const start = this.#end;
    this.#bytes[start] = type;
    this.#end = start + 5;
    return start;
  }

  /** The length counts itself, but not the type. */
  #complete(start: number): void {
    this.#setInt32(start + 1, this.#end - start - 1);
  }

  /** Whether it is binary. */
  #addParameter(param: unknown): boolean {
    const value = typeof param === 'string' ? param : parameterOf(param);
    this.#reserve(4);
    const start = this.#end;
    this.#end = start + 4;
    if (value === null) {
      this.#setInt32(start, -1);
      return false;
    }
    const isBinary = typeof value !== 'string';
    if (isBinary) this.#addBytes(value);
    else this.#addText(value);
    this.#setInt32(start, this.#end - start - 4);
    return isBinary;
  }

  #addZeroEnded(text: string): void {
    this.#addText(text);
    this.#reserve(1);
    this.#bytes[this.#end++] = 0;
  }

  #addText(text: string): void {
    const { length } = text;
    if (length > LONG_LENGTH_MIN) this.#reserve(Buffer.byteLength(text));
    else this.#reserve(length * 3);
    if (length > SHORT_LENGTH_MAX || !this.#addAscii(text)) this.#end += this.#bytes.write(text, this.#end);
  }

  /** False, having added nothing, if the text has other characters. */
  #addAscii(text: string): boolean {
    const bytes = this.#bytes;
    const start = this.#end;
    for (let n = 0; n < text.length; n++) {
      const code = text.charCodeAt(n);
      if (code > 0x7f) return false;
      bytes[start + n] = code;
    }
    this.#end = start + text.length;
    return true;
  }

  #addBytes(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#end);
    this.#end += bytes.length;
  }

  #addInt16(number: number): void {
    this.#reserve(2);
    this.#bytes[this.#end++] = number >>> 8;
    this.#bytes[this.#end++] = number;
  }

  #setInt32(at: number, number: number): void {
    const bytes = this.#bytes;
    bytes[at] = number >>> 24;
    bytes[at + 1] = number >>> 16;
    bytes[at + 2] = number >>> 8;
    bytes[at + 3] = number;
  }

  #reserve(length: number): void {
    const needed = this.#end + length;
    if (needed <= this.#bytes.length) return;
    // Not from Node's pool, which the kept buffers would keep whole.
    const larger = Buffer.allocUnsafeSlow(needed <= KEPT_BYTES ? KEPT_BYTES : Math.ceil(needed * 1.5));
    larger.set(this.#bytes.subarray(0, this.#end));
    if (this.#bytes.length > KEPT_BYTES) freeBytes(this.#bytes);
    this.#bytes = larger;
  }
}
