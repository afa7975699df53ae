// Compressed replies: JSON and NDJSON of more than 4 KB, for clients that accept it. Files are sent as they are: most are
// compressed already, and clients ask for parts of them. Replies that may hold a secret are never compressed, because their
// length would tell about it (BREACH): signing in, sessions, tokens, and everything of the operator.

import { promisify } from 'node:util';
import {
  type BrotliCompress,
  brotliCompress,
  constants,
  createBrotliCompress,
  createGzip,
  type Gzip,
  gzip,
} from 'node:zlib';
import type { Body, Reply } from './replies/reply.ts';
import type { Encoding } from './requests/accept-encoding.ts';
import { encodedTag } from './requests/conditional.ts';

/**
 * The cheapest levels that are worth it. A page of 100 records (97 KB) becomes 18.9 KB with br 1 in 490 µs of processor time,
 * 18.0 in 807 with br 2 and 17.6 in 1,155 with br 4; 19.9 KB with gzip 1 in 733, 19.3 in 818 with gzip 2 and 17.5 in 2,160 with
 * gzip 6. Making the page takes the server 1,400 µs (`npm run bench -- compression`).
 */
const GZIP = { level: 1 };
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };

/**
 * The work is done in libuv's pool, which has four threads by default and also reads files and checks passwords. Beyond these
 * numbers replies are sent as they are, so nothing waits for a turn, and no tenant keeps the others from compressing.
 */
const WHOLE = { eachMax: 2, allMax: 3 };
/** A stream takes one thread at a time, for a chunk of it, and waits for its client most of the time. */
const STREAMS = { eachMax: 2, allMax: 8 };
/** What has come so far goes out at least this often, so that a client sees progress. */
const FLUSH_MS = 200;

export type Encoder = Gzip | BrotliCompress;

const compress = {
  gzip: promisify<Buffer | string, typeof GZIP, Buffer>(gzip),
  br: promisify<Buffer | string, typeof BROTLI, Buffer>(brotliCompress),
};

/** The bytes differ in each encoding, and so does the ETag, which stands for them. */
export function encodedReply({ status, headers = {}, body }: Reply, encoding: Encoding): Reply {
  const { etag } = headers;
  const tag = typeof etag === 'string' ? { etag: encodedTag(etag, encoding) } : {};
  return { status, headers: { ...headers, ...tag, 'content-encoding': encoding }, ...(body !== undefined && { body }) };
}

export class Compressions {
  readonly #whole = new Counts(WHOLE);
  readonly #streams = new Counts(STREAMS);

  /** Undefined: too much is being compressed already. */
  whole(tenant: string, body: Exclude<Body, readonly unknown[]>, encoding: Encoding): Promise<Buffer> | undefined {
    if (!this.#whole.enter(tenant)) return undefined;
    const bytes = typeof body === 'string' ? body : Buffer.from(body.buffer, body.byteOffset, body.byteLength);
    const compressing = encoding === 'gzip' ? compress.gzip(bytes, GZIP) : compress.br(bytes, BROTLI);
    return compressing.finally(() => this.#whole.leave(tenant));
  }

  /** For a body in parts or a stream: what is written to it comes out compressed. It has to be destroyed or read to its end. */
  stream(tenant: string, encoding: Encoding): Encoder | undefined {
    if (!this.#streams.enter(tenant)) return undefined;
    const flush = encoding === 'gzip' ? constants.Z_SYNC_FLUSH : constants.BROTLI_OPERATION_FLUSH;
    const encoder = encoding === 'gzip' ? createGzip(GZIP) : createBrotliCompress(BROTLI);
    let flushed = 0;
    const timer = setInterval(() => {
      if (encoder.bytesWritten === flushed || encoder.writableEnded) return;
      flushed = encoder.bytesWritten;
      encoder.flush(flush);
    }, FLUSH_MS).unref();
    encoder.once('close', () => {
      clearInterval(timer);
      this.#streams.leave(tenant);
    });
    return encoder;
  }
}

/** How many each tenant has at once. */
class Counts {
  readonly #max: { readonly eachMax: number; readonly allMax: number };
  readonly #each = new Map<string, number>();
  #all = 0;

  constructor(max: { readonly eachMax: number; readonly allMax: number }) {
    this.#max = max;
  }

  enter(tenant: string): boolean {
    const own = this.#each.get(tenant) ?? 0;
    if (own >= this.#max.eachMax || this.#all >= this.#max.allMax) return false;
    this.#each.set(tenant, own + 1);
    this.#all += 1;
    return true;
  }

  leave(tenant: string): void {
    const left = (this.#each.get(tenant) ?? 1) - 1;
    if (left === 0) this.#each.delete(tenant);
    else this.#each.set(tenant, left);
    this.#all -= 1;
  }
}
