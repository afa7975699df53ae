// Work that takes long: it tells how far it is, waits while it is paused, and ends when it is stopped.

import type { WaitReason } from '../../../../src/moving/import/patience.ts';
import type { Progress } from '../rates.ts';
import type { Control } from '../work.ts';

/** More often, people cannot read. */
const TELL_EVERY_MS = 100;

export class Run {
  readonly #tell: (progress: Progress) => void;
  readonly #stop = new AbortController();
  #paused: { readonly over: Promise<void>; readonly end: () => void } | undefined;
  #toldAt = 0;
  #last: Progress | undefined;

  constructor(tell: (progress: Progress) => void) {
    this.#tell = tell;
  }

  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  control(control: Control['control']): void {
    if (control === 'pause') {
      let end = (): void => undefined;
      const over = new Promise<void>((resolve) => {
        end = resolve;
      });
      this.#paused ??= { over, end };
      return;
    }
    if (control === 'stop') this.#stop.abort();
    this.#paused?.end();
    this.#paused = undefined;
  }

  readonly beforeBatch = async (): Promise<void> => {
    await this.#paused?.over;
    this.signal.throwIfAborted();
  };

  progress(progress: Progress): void {
    this.#last = progress;
    const now = performance.now();
    if (now - this.#toldAt < TELL_EVERY_MS) return;
    this.#toldAt = now;
    this.#tell(progress);
  }

  waiting(reason: WaitReason): void {
    this.#tell({ ...(this.#last ?? { rows: 0, rejected: 0, earlier: 0 }), waiting: reason });
  }

  /** Undefined if it was stopped. */
  async unlessStopped<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
    try {
      return await work();
    } catch (error) {
      if (this.signal.aborted) return undefined;
      throw error;
    }
  }
}
