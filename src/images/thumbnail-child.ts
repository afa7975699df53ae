// The server's end of one thumbnail process: starts it, hands it one file after the other without holding more than a
// piece, and believes nothing of what comes back but its length. What waits for a turn is in thumbnails.ts.

import { type ChildProcess, spawn } from 'node:child_process';
import os from 'node:os';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { FRAME, frameHeader, frameReader, PIECE_BYTES_MAX } from './thumbnail-frames.ts';

const PROGRAM = fileURLToPath(new URL('./thumbnail-worker.js', import.meta.url));
/** The decoded image is not on this heap. */
const FLAGS = ['--max-old-space-size=64'];
/** Nothing of the server's, which holds the database's password. One arena per thread would keep what each has freed. */
const ENVIRONMENT = { MALLOC_ARENA_MAX: '2' };
const COMPLAINT_CHARACTERS_MAX = 1000;
const TEXT_BYTES_MAX = 2000;

export type Answer = { readonly thumbnail: Buffer } | { readonly reason: string; readonly detail: string };

interface Pending {
  resolve(answer: Answer): void;
  reject(error: Error): void;
}

/** From outside and at once: on Linux the priority is the thread's, and Node starts threads before it runs our code. */
function lowerPriority(pid: number): void {
  try {
    os.setPriority(pid, os.constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // It has ended already, which its exit tells.
  }
}

/** The process ended, or was ended, while it was about a job. */
export class ThumbnailProcessLost extends Error {
  override readonly name = 'ThumbnailProcessLost';
}

export class ThumbnailChild {
  /** Settles when the process is gone. */
  readonly ended: Promise<void>;
  readonly #process: ChildProcess;
  readonly #input: Writable;
  #isAlive = true;
  #pending: Pending | undefined;
  #complaint = '';

  constructor() {
    const child = spawn(process.execPath, [...FLAGS, PROGRAM], {
      env: ENVIRONMENT,
      stdio: 'pipe',
      windowsHide: true,
    });
    this.#process = child;
    this.#input = child.stdin;
    child.on('error', (error) => this.#over(error));
    if (child.pid === undefined) throw new Error('The thumbnail process could not be started');
    lowerPriority(child.pid);
    this.ended = new Promise((resolve) => {
      // Not `exit`, which may come before the last answer.
      child.on('close', (code, signal) => {
        this.#over(
          new ThumbnailProcessLost(`The thumbnail process ended with ${signal ?? code}: ${this.#complaint}`.trim()),
        );
        resolve();
      });
    });
    child.stdin.on('error', () => {});
    child.stderr.on('data', (chunk: Buffer) => {
      this.#complaint = (this.#complaint + chunk.toString()).slice(-COMPLAINT_CHARACTERS_MAX);
    });
    const read = frameReader((kind, payload) => this.#answer(kind, payload));
    child.stdout.on('data', (chunk: Buffer) => {
      try {
        read(chunk);
      } catch (error) {
        this.end(`The thumbnail process answers nonsense: ${error}`);
      }
    });
  }

  get isAlive(): boolean {
    // Its exit is known before its pipes are closed.
    return this.#isAlive && this.#process.exitCode === null && this.#process.signalCode === null;
  }

  /** Kills it; a job that it is about fails with this sentence. */
  end(why: string): void {
    this.#process.kill('SIGKILL');
    this.#over(new ThumbnailProcessLost(why));
  }

  /** One at a time. Rejects with the source's error, or when the process ends or takes longer than `msMax`. */
  async ask(source: Readable, size: number, msMax: number): Promise<Answer> {
    const answer = new Promise<Answer>((resolve, reject) => {
      this.#pending = { resolve, reject };
    });
    // The answer may come before the end of the file, and nobody wants the rest then.
    const stop = () => void source.destroy();
    answer.then(stop, stop);
    const timer = setTimeout(() => this.end(`The thumbnail took longer than ${msMax} ms`), msMax);
    try {
      const failure = await this.#hand(source);
      if (failure === undefined || this.#pending === undefined) {
        const payload = Buffer.alloc(4);
        payload.writeUInt32BE(size);
        this.#write(FRAME.end, payload);
        return await answer;
      }
      this.#write(FRAME.abort, Buffer.alloc(0));
      await answer.catch(() => {});
      throw failure.error;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Everything up to the end of the source, or up to an early answer; gives the source's failure back. */
  async #hand(source: Readable): Promise<{ error: unknown } | undefined> {
    try {
      for await (const chunk of source) {
        const bytes: Buffer = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
        for (let at = 0; at < bytes.length; at += PIECE_BYTES_MAX) {
          if (this.#pending === undefined) return undefined;
          this.#write(FRAME.data, bytes.subarray(at, at + PIECE_BYTES_MAX));
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

  #answer(kind: number, payload: Buffer): void {
    const pending = this.#pending;
    if (pending === undefined) throw new Error('nobody asked');
    if (kind === FRAME.thumbnail) pending.resolve({ thumbnail: payload });
    else if (kind === FRAME.refused || kind === FRAME.leaving) {
      const [reason = '', ...detail] = payload.toString('utf8', 0, TEXT_BYTES_MAX).split('\n');
      pending.resolve({ reason, detail: detail.join('\n') });
    } else throw new Error(`frame ${kind}`);
    this.#pending = undefined;
    if (kind === FRAME.leaving) this.end('It leaves');
  }

  #over(error: Error): void {
    this.#isAlive = false;
    this.#pending?.reject(error);
    this.#pending = undefined;
  }
}
