// Sends the bytes of an input and reads whatever comes back, within a bound.

import { connect, type Socket } from 'node:net';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';

export interface RawReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** How a wait ended: with a reply, the end of the connection, bytes that are no reply, or nothing at all in time. */
export type Outcome = RawReply | 'ended' | 'late' | { readonly unreadable: string };

/** Only a server that hangs takes that long. */
const WAIT_MS = 20_000;

export class Connection {
  readonly #socket: Socket;
  #received = Buffer.alloc(0);
  #ended = false;
  #wake: () => void = () => undefined;
  /** Replies that were read. */
  replies = 0;

  constructor(address: string) {
    const { hostname, port } = new URL(address);
    this.#socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    this.#socket.on('data', (chunk: Buffer) => {
      this.#received = Buffer.concat([this.#received, chunk]);
      this.#wake();
    });
    const end = () => {
      this.#ended = true;
      this.#wake();
    };
    this.#socket.on('end', end).on('close', end).on('error', end);
  }

  get usable(): boolean {
    return !this.#ended && this.#received.length === 0;
  }

  async write(pieces: readonly Buffer[]): Promise<void> {
    for (const [index, piece] of pieces.entries()) {
      // So that the pieces arrive one by one.
      if (index > 0) await new Promise((resolve) => setImmediate(resolve));
      this.#socket.write(piece);
    }
  }

  endOurSide(): void {
    this.#socket.end();
  }

  cut(): void {
    this.#socket.destroy();
  }

  /** `bodyless`: the reply to a HEAD. */
  async reply(bodyless: boolean): Promise<Outcome> {
    const until = Date.now() + WAIT_MS;
    for (;;) {
      const found = this.#parse(bodyless);
      if (found !== undefined) return found;
      if (this.#ended) {
        return this.#received.length === 0 ? 'ended' : { unreadable: this.#received.toString('latin1', 0, 300) };
      }
      const left = until - Date.now();
      if (left <= 0) return 'late';
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, left);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }

  #parse(bodyless: boolean): Outcome | undefined {
    const end = this.#received.indexOf('\r\n\r\n');
    if (end === -1) return undefined;
    const [first = '', ...lines] = this.#received.toString('latin1', 0, end).split('\r\n');
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(first)?.[1]);
    if (!(status >= 100)) return { unreadable: first.slice(0, 300) };
    const headers = Object.fromEntries(
      lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
    );
    if (status < 200) {
      this.#received = this.#received.subarray(end + 4);
      return this.#parse(bodyless);
    }
    const rest = this.#received.subarray(end + 4);
    const without = bodyless || status === 204 || status === 304;
    const read = without ? { body: Buffer.alloc(0), length: 0 } : this.#body(headers, rest);
    if (read === undefined) return undefined;
    this.#received = rest.subarray(read.length);
    this.replies += 1;
    return { status, headers, body: read.body };
  }

  #body(headers: Readonly<Record<string, string>>, rest: Buffer): { body: Buffer; length: number } | undefined {
    if (headers['transfer-encoding'] === 'chunked') return unchunked(rest);
    const length = Number(headers['content-length'] ?? Number.NaN);
    if (Number.isNaN(length)) return this.#ended ? { body: rest, length: rest.length } : undefined;
    return rest.length < length ? undefined : { body: rest.subarray(0, length), length };
  }
}

function unchunked(bytes: Buffer): { body: Buffer; length: number } | undefined {
  const parts: Buffer[] = [];
  for (let at = 0; ; ) {
    const line = bytes.indexOf('\r\n', at);
    if (line === -1) return undefined;
    const size = Number.parseInt(bytes.toString('latin1', at, line), 16);
    if (bytes.length < line + 2 + size + 2) return undefined;
    parts.push(bytes.subarray(line + 2, line + 2 + size));
    at = line + 2 + size + 2;
    if (size === 0) return { body: Buffer.concat(parts), length: at };
  }
}

/** The text of a reply, decompressed. */
export function textOfReply({ headers, body }: RawReply): string {
  const encoding = headers['content-encoding'];
  if (body.length === 0) return '';
  if (encoding === 'gzip') return gunzipSync(body).toString();
  if (encoding === 'br') return brotliDecompressSync(body).toString();
  return body.toString();
}
