// COPY in both directions, in the text format of PostgreSQL and in constant memory: what arrives is read no faster than it is
// taken, and what is sent waits for the socket.

import { once } from 'node:events';
import type pg from 'pg';
import { cutClient, endCopyData, sendCopyData, streamOf } from './driver.ts';
import { SentStatement } from './sent-statement.ts';

/** Rows arrive one by one, and are collected before they are handed on. */
class CopyOut extends SentStatement {
  readonly #client: pg.Client;
  readonly #partBytes: number;
  readonly #ready: Buffer[] = [];
  #filling: Buffer[] = [];
  #filled = 0;
  #arrived: () => void = () => undefined;
  #isEnded = false;
  #error: Error | undefined;

  constructor(client: pg.Client, text: string, partBytes: number) {
    super(client, { text, params: [] }, (error) => {
      this.#isEnded = true;
      this.#error = error;
      this.#arrived();
    });
    this.#client = client;
    this.#partBytes = partBytes;
  }

  /** `pg` calls it with each row, in a buffer that it uses again. */
  handleCopyData({ chunk }: { readonly chunk: Buffer }): void {
    this.#filling.push(Buffer.from(chunk));
    this.#filled += chunk.length;
    if (this.#filled < this.#partBytes) return;
    this.#flush();
    streamOf(this.#client).pause();
    this.#arrived();
  }

  #flush(): void {
    if (this.#filled > 0) this.#ready.push(Buffer.concat(this.#filling));
    this.#filling = [];
    this.#filled = 0;
  }

  async *parts(): AsyncGenerator<Buffer> {
    try {
      for (;;) {
        const part = this.#ready.shift();
        if (part !== undefined) yield part;
        else if (this.#isEnded) break;
        else await this.#next();
      }
      if (this.#error !== undefined) throw this.#error;
      this.#flush();
      yield* this.#ready;
    } finally {
      // The end may have come with the last part, after which nothing more was read.
      if (this.#isEnded) streamOf(this.#client).resume();
      // The database would go on sending.
      else cutClient(this.#client);
    }
  }

  #next(): Promise<void> {
    streamOf(this.#client).resume();
    return new Promise((resolve) => {
      this.#arrived = resolve;
    });
  }
}

/** The rows of `copy … to stdout`, in parts of about this size, each of whole rows. A reader that leaves cuts the connection. */
export function copyOut(client: pg.Client, statement: string, partBytes: number): AsyncGenerator<Buffer> {
  const copy = new CopyOut(client, statement, partBytes);
  client.query(copy);
  return copy.parts();
}

class CopyIn extends SentStatement {
  readonly started: Promise<void>;
  readonly ended: Promise<number>;
  isEnded = false;
  #start: () => void = () => undefined;

  constructor(client: pg.Client, text: string) {
    let settle: (error: Error | undefined) => void = () => undefined;
    super(client, { text, params: [] }, (error) => settle(error));
    this.started = new Promise((resolve) => {
      this.#start = resolve;
    });
    this.ended = new Promise((resolve, reject) => {
      settle = (error) => {
        this.isEnded = true;
        if (error === undefined) resolve(this.rowCount ?? 0);
        else reject(error);
      };
    });
    // Awaited only when all has been sent.
    this.ended.catch(() => undefined);
  }

  /** `pg` calls it when the database waits for data. */
  handleCopyInResponse(): void {
    this.#start();
  }
}

/** Runs `copy … from stdin`. Returns the number of rows. When the chunks fail, so does the statement, with their error. */
export async function copyIn(client: pg.Client, statement: string, chunks: AsyncIterable<Buffer>): Promise<number> {
  const copy = new CopyIn(client, statement);
  client.query(copy);
  await Promise.race([copy.started, copy.ended]);
  try {
    for await (const chunk of chunks) {
      // The database has refused a row; the error follows below.
      if (copy.isEnded) break;
      if (!sendCopyData(client, chunk)) await Promise.race([once(streamOf(client), 'drain'), copy.ended]);
    }
  } catch (error) {
    if (!copy.isEnded) endCopyData(client, 'the archive ended');
    await copy.ended.catch(() => undefined);
    throw error;
  }
  if (!copy.isEnded) endCopyData(client);
  return copy.ended;
}
