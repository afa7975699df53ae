// The server's side of one thumbnail process: starts it, streams one file at a time to it, and treats its replies as
// untrusted bytes of bounded length. The queue is in thumbnails.ts.

import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { lowerPriority } from '../load/priority.ts';
import { CHUNK_BYTES_MAX, FRAME, frameHeader, frameReader } from './thumbnail-frames.ts';

const PROGRAM = fileURLToPath(new URL('./thumbnail-worker.js', import.meta.url));
/** Decoded images are outside V8's heap. */
const FLAGS = ['--max-old-space-size=64'];
/**
 * Nothing is inherited from the server, whose environment holds the database's password. With one malloc arena per thread,
 * each would keep the memory that it has freed.
 */
const ENVIRONMENT = { MALLOC_ARENA_MAX: '2' };
const STDERR_CHARACTERS_MAX = 1000;
const TEXT_BYTES_MAX = 2000;

export type ThumbnailReply = { readonly thumbnail: Buffer } | { readonly reason: string; readonly detail: string };

interface Pending {
  resolve(reply: ThumbnailReply): void;
  reject(error: Error): void;
}

/** The process ended or was killed during a job. */
export class ThumbnailProcessLost extends Error {
  override readonly name = 'ThumbnailProcessLost';
}

export class ThumbnailChild {
  /** Resolves when the process has ended. */
  readonly ended: Promise<void>;
  readonly #process: ChildProcess;
  readonly #input: Writable;
  #isAlive = true;
  #pending: Pending | undefined;
  #stderr = '';

  constructor() {
    const child = spawn(process.execPath, [...FLAGS, PROGRAM], {
      env: ENVIRONMENT,
      stdio: 'pipe',
      windowsHide: true,
    });
    this.#process = child;
    this.#input = child.stdin;
    child.on('error', (error) => this.#fail(error));
    if (child.pid === undefined) throw new Error('The thumbnail process could not be started');
    // Not by the child: on Linux priorities belong to threads, and Node starts threads before a program could lower its own.
    lowerPriority(child.pid);
    this.ended = new Promise((resolve) => {
      // Not `exit`, which may come before the last reply.
      child.on('close', (code, signal) => {
        this.#fail(
          new ThumbnailProcessLost(`The thumbnail process ended with ${signal ?? code}: ${this.#stderr}`.trim()),
        );
        resolve();
      });
    });
    child.stdin.on('error', () => {});
    child.stderr.on('data', (chunk: Buffer) => {
      this.#stderr = (this.#stderr + chunk.toString()).slice(-STDERR_CHARACTERS_MAX);
    });
    const read = frameReader((kind, payload) => this.#receive(kind, payload));
    child.stdout.on('data', (chunk: Buffer) => {
      try {
        read(chunk);
      } catch (error) {
        this.end(`The thumbnail process sent an invalid reply: ${error}`);
      }
    });
  }

  get isAlive(): boolean {
    // The exit code is known before the pipes close.
    return this.#isAlive && this.#process.exitCode === null && this.#process.signalCode === null;
  }

  /** Kills the process; a running job fails with this message. */
  end(why: string): void {
    this.#process.kill('SIGKILL');
    this.#fail(new ThumbnailProcessLost(why));
  }

  /** One job at a time. Rejects with the source's error, or when the process ends or takes longer than `msMax`. */
  async make(source: Readable, size: number, msMax: number): Promise<ThumbnailReply> {
    const reply = new Promise<ThumbnailReply>((resolve, reject) => {
      this.#pending = { resolve, reject };
    });
    // The reply may come before the end of the file; the rest is then not read.
    const stop = () => void source.destroy();
    reply.then(stop, stop);
    const timer = setTimeout(() => this.end(`The thumbnail took longer than ${msMax} ms`), msMax);
    try {
      const failure = await this.#sendFile(source);
      if (failure === undefined || this.#pending === undefined) {
        const payload = Buffer.alloc(4);
        payload.writeUInt32BE(size);
        this.#write(FRAME.end, payload);
        return await reply;
      }
      this.#write(FRAME.abort, Buffer.alloc(0));
      await reply.catch(() => {});
      throw failure.error;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Sends the source up to its end or an early reply. Returns the source's error. */
  async #sendFile(source: Readable): Promise<{ error: unknown } | undefined> {
    try {
      for await (const chunk of source) {
        const bytes: Buffer = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
        for (let at = 0; at < bytes.length; at += CHUNK_BYTES_MAX) {
          if (this.#pending === undefined) return undefined;
          this.#write(FRAME.data, bytes.subarray(at, at + CHUNK_BYTES_MAX));
          await this.#drained();
        }
      }
      return undefined;
    } catch (error) {
      return { error };
    }
  }

  #write(kind: number, payload: Buffer): void {
    if (this.#input.destroyed) return;
    this.#input.write(frameHeader(kind, payload.length));
    this.#input.write(payload);
  }

  async #drained(): Promise<void> {
    if (!this.#input.writableNeedDrain) return;
    await new Promise<void>((resolve) => {
      const done = () => {
        this.#input.off('drain', done).off('close', done);
        resolve();
      };
      this.#input.on('drain', done).on('close', done);
    });
  }

  #receive(kind: number, payload: Buffer): void {
    const pending = this.#pending;
    if (pending === undefined) throw new Error('no job is running');
    if (kind === FRAME.thumbnail) pending.resolve({ thumbnail: payload });
    else if (kind === FRAME.refused || kind === FRAME.leaving) {
      const [reason = '', ...detail] = payload.toString('utf8', 0, TEXT_BYTES_MAX).split('\n');
      pending.resolve({ reason, detail: detail.join('\n') });
    } else throw new Error(`unknown frame ${kind}`);
    this.#pending = undefined;
    if (kind === FRAME.leaving) this.end('The thumbnail process has finished');
  }

  #fail(error: Error): void {
    this.#isAlive = false;
    this.#pending?.reject(error);
    this.#pending = undefined;
  }
}
