// Work that a request starts and that runs after its reply: its duration reveals nothing to the client, and its failure
// does not fail the request. Running and waiting work are bounded; a stopping server lets the work finish.

import type { BackgroundRetry, BackgroundWork } from '../context.ts';
import type { Observe } from '../events/events.ts';
import { tooBusy } from '../faults.ts';

interface Bounds {
  readonly atOnceMax: number;
  readonly waitingMax: number;
}

interface Dependencies {
  readonly observe: Observe;
  /** Counts the work among the requests under way, which a stopping server waits for. */
  readonly underWay: { begin(): void; end(): void };
}

export class Background {
  readonly #dependencies: Dependencies;
  readonly #bounds: Bounds;
  readonly #waiting: (() => void)[] = [];
  #running = 0;
  #pausing = 0;

  constructor(dependencies: Dependencies, bounds: Bounds) {
    this.#dependencies = dependencies;
    this.#bounds = bounds;
  }

  get waiting(): number {
    return this.#waiting.length + this.#pausing;
  }

  /** False if the queue is full: the work is dropped and reported. */
  begin(task: string, work: BackgroundWork): boolean {
    const full = this.#running >= this.#bounds.atOnceMax;
    if (full && this.waiting >= this.#bounds.waitingMax) {
      this.#dependencies.observe({ event: 'task.failed', task, error: tooBusy() });
      return false;
    }
    this.#dependencies.underWay.begin();
    this.#enqueue(task, work);
    return true;
  }

  #enqueue(task: string, work: BackgroundWork): void {
    if (this.#running < this.#bounds.atOnceMax) this.#run(task, work);
    else this.#waiting.push(() => this.#run(task, work));
  }

  #run(task: string, work: BackgroundWork): void {
    this.#running += 1;
    // Lets the reply of the request that started it go first.
    setImmediate(() => {
      void this.#retryOf(task, work).then((retry) => {
        this.#running -= 1;
        this.#waiting.shift()?.();
        if (retry) this.#pause(task, retry);
        else this.#dependencies.underWay.end();
      });
    });
  }

  async #retryOf(task: string, work: BackgroundWork): Promise<BackgroundRetry | undefined> {
    try {
      return (await work()) ?? undefined;
    } catch (error) {
      this.#dependencies.observe({ event: 'task.failed', task, error });
      return undefined;
    }
  }

  #pause(task: string, { pauseMs, work }: BackgroundRetry): void {
    this.#pausing += 1;
    setTimeout(() => {
      this.#pausing -= 1;
      this.#enqueue(task, work);
    }, pauseMs);
  }
}
