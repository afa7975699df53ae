// Work that nobody waits for: begun with a request and done behind its answer, so that its time tells nothing and its
// failure harms nobody. A bounded number runs at once and waits; a server that stops lets it finish.

import { tooBusy } from '../faults.ts';
import type { Observe } from '../observe.ts';

interface Bounds {
  readonly atOnceMax: number;
  readonly waitingMax: number;
}

interface Means {
  readonly observe: Observe;
  /** Counts it among the requests being worked on. */
  readonly underWay: { begin(): void; end(): void };
}

export class Behind {
  readonly #means: Means;
  readonly #bounds: Bounds;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(means: Means, bounds: Bounds) {
    this.#means = means;
    this.#bounds = bounds;
  }

  /** False when there is too much of it. */
  begin(task: string, work: () => Promise<void>): boolean {
    if (this.#running >= this.#bounds.atOnceMax) {
      if (this.#waiting.length >= this.#bounds.waitingMax) {
        this.#means.observe({ event: 'task.failed', task, error: tooBusy() });
        return false;
      }
      this.#means.underWay.begin();
      this.#waiting.push(() => this.#run(task, work));
      return true;
    }
    this.#means.underWay.begin();
    this.#run(task, work);
    return true;
  }

  #run(task: string, work: () => Promise<void>): void {
    this.#running += 1;
    // Not before the answer of who began it has had its turn.
    setImmediate(() => {
      work()
        .catch((error: unknown) => this.#means.observe({ event: 'task.failed', task, error }))
        .then(() => {
          this.#running -= 1;
          this.#waiting.shift()?.();
          this.#means.underWay.end();
        });
    });
  }
}
