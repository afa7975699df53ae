// The parts of a multipart/form-data body (RFC 7578, RFC 2046 section 5.1), read as they arrive. Written by hand because a
// parser for any number of fields and files (busboy) is larger than this one, and lenient: here a body that is cut off, or
// whose parts cannot be told apart for certain, is refused. Nothing is held in memory but the chunk in hand and the headers
// of one part.

import { fault } from '../../faults.ts';

/** Of one part, with the rest of its boundary's line. */
const HEAD_BYTES_MAX = 8 * 1024;
/** Reading a part without content takes longer than its few bytes would otherwise. */
const PARTS_MAX = 100;
/** Of a form besides the content that its reader takes: boundaries, headers, other parts, and the text around the parts. */
export const BESIDES_BYTES_MAX = 64 * 1024;
/** RFC 2046 section 5.1.1. */
const BOUNDARY_CHARACTERS_MAX = 70;

const CR = 13;
const LINE_END = Buffer.from('\r\n');
const HEAD_END = Buffer.from('\r\n\r\n');

const FORM = /^[ \t]*multipart\/form-data[ \t]*(?:;|$)/i;
/** An unquoted boundary may hold characters such as = or /, which many clients do not quote. */
const BOUNDARY = /;[ \t]*boundary=(?:"([^"\\]+)"|([^\s;",]+))[ \t]*(?:;|$)/i;

/** The boundary of a form; undefined for any other type. Throws INVALID_CONTENT_TYPE for a form without one. */
export function boundaryOf(contentType: string | undefined): string | undefined {
  if (contentType === undefined || !FORM.test(contentType)) return undefined;
  const [, quoted, unquoted] = BOUNDARY.exec(contentType) ?? [];
  const boundary = quoted ?? unquoted ?? '';
  if (boundary !== '' && boundary.length <= BOUNDARY_CHARACTERS_MAX) return boundary;
  const reason = `multipart/form-data needs a boundary of at most ${BOUNDARY_CHARACTERS_MAX} characters`;
  throw fault('INVALID_CONTENT_TYPE', { reason });
}

/** Headers by their names in lower case; one character per byte. */
export type PartHeaders = ReadonlyMap<string, string>;

export class FormParts {
  readonly #source: AsyncIterator<Uint8Array>;
  readonly #delimiter: Buffer;
  /** Read and not yet used. It starts with a line end, as the first boundary may begin the body. */
  #held: Buffer = LINE_END;
  #atDelimiter = false;
  #parts = 0;
  /** Without the line end that is not of the body. */
  #besides = -LINE_END.length;

  constructor(bytes: AsyncIterable<Uint8Array>, boundary: string) {
    this.#source = bytes[Symbol.asyncIterator]();
    this.#delimiter = Buffer.from(`\r\n--${boundary}`, 'latin1');
  }

  /** Skips what is left of the current part, or the text before the first one. Undefined at the end of the form. */
  async next(): Promise<PartHeaders | undefined> {
    for await (const { length } of this.content()) this.#countBesides(length);
    while (this.#held.length < 2) await this.#more();
    if (this.#held.toString('latin1', 0, 2) === '--') return undefined;
    this.#parts += 1;
    if (this.#parts > PARTS_MAX) throw unreadable(`it has more than ${PARTS_MAX} parts`);
    const headers = readHeaders(await this.#takeHead());
    this.#atDelimiter = false;
    return headers;
  }

  /** Whether the current part, of which nothing has been taken, has no content. */
  async isEmpty(): Promise<boolean> {
    for (;;) {
      const found = this.#held.indexOf(this.#delimiter);
      if (found !== -1) return found === 0;
      if (this.#safeLength() > 0) return false;
      await this.#more();
    }
  }

  /** The bytes of the current part. */
  async *content(): AsyncGenerator<Uint8Array> {
    while (!this.#atDelimiter) {
      const held = this.#held;
      const found = held.indexOf(this.#delimiter);
      const end = found === -1 ? this.#safeLength() : found;
      this.#atDelimiter = found !== -1;
      this.#held = held.subarray(this.#atDelimiter ? found + this.#delimiter.length : end);
      if (end > 0) yield held.subarray(0, end);
      if (this.#atDelimiter) this.#countBesides(this.#delimiter.length);
      else await this.#more();
    }
  }

  /** Reads what follows the form, up to the end of the body. */
  async end(): Promise<void> {
    this.#countBesides(this.#held.length);
    this.#held = LINE_END;
    for (let read = await this.#source.next(); !read.done; read = await this.#source.next()) {
      this.#countBesides(read.value.length);
    }
  }

  /** Does not wait for a pending read: a dead connection may never end it. */
  close(): void {
    this.#source.return?.().catch(() => undefined);
  }

  /** How many of the held bytes cannot be the beginning of a delimiter, which has no CR but its first byte. */
  #safeLength(): number {
    const { length } = this.#held;
    const from = Math.max(0, length - this.#delimiter.length + 1);
    const last = this.#held.subarray(from).lastIndexOf(CR);
    if (last === -1) return length;
    const rest = this.#held.subarray(from + last);
    return rest.equals(this.#delimiter.subarray(0, rest.length)) ? from + last : length;
  }

  /** From the end of the boundary to the empty line. */
  async #takeHead(): Promise<string> {
    for (;;) {
      const end = this.#held.subarray(0, HEAD_BYTES_MAX).indexOf(HEAD_END);
      if (end !== -1) {
        const text = this.#held.toString('latin1', 0, end);
        this.#held = this.#held.subarray(end + HEAD_END.length);
        this.#countBesides(end + HEAD_END.length);
        return text;
      }
      if (this.#held.length >= HEAD_BYTES_MAX) throw unreadable(`the headers of a part pass ${HEAD_BYTES_MAX} bytes`);
      await this.#more();
    }
  }

  #countBesides(length: number): void {
    this.#besides += length;
    if (this.#besides <= BESIDES_BYTES_MAX) return;
    throw fault('INVALID_BODY', { reason: `the form has more than ${BESIDES_BYTES_MAX} bytes besides its file` });
  }

  async #more(): Promise<void> {
    // A copy: the source frees the chunk that it is a part of.
    const held = Buffer.from(this.#held);
    const { done, value } = await this.#source.next();
    if (done) throw unreadable('it ends before its last boundary');
    this.#held = held.length === 0 ? bufferOf(value) : Buffer.concat([held, value]);
  }
}

const bufferOf = ({ buffer, byteOffset, length }: Uint8Array): Buffer => Buffer.from(buffer, byteOffset, length);

/** The first line is the rest of the boundary's. A line that begins with a blank continues the one before it. */
function readHeaders(text: string): PartHeaders {
  const [padding = '', ...lines] = text.replaceAll(/\r\n[ \t]+/g, ' ').split('\r\n');
  if (!/^[ \t]*$/.test(padding)) throw unreadable('a boundary is followed by other characters');
  const headers = new Map<string, string>();
  for (const line of lines) {
    const [, name, value = ''] = /^([^\s:]+)[ \t]*:[ \t]*(.*)$/s.exec(line) ?? [];
    if (name === undefined) throw unreadable('a part has a line that is no header');
    if (headers.has(name.toLowerCase())) throw unreadable(`a part has two headers ${name.slice(0, 40)}`);
    headers.set(name.toLowerCase(), value);
  }
  return headers;
}

export const unreadable = (why: string) => fault('INVALID_BODY', { reason: `the form cannot be read: ${why}` });
