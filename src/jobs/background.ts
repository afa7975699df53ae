// Work that nobody waits for: begun with a request and done behind its answer, so that its time tells nothing and its
// failure harms nobody. A bounded number runs at once and waits; a server that stops lets it finish.

import type { BehindWork, WorkAgain } from '../context.ts';
import { tooBusy } from '../faults.ts';
import type { Observe } from '../observe/events.ts';

interface Bounds {
  readonly atOnceMax: number;
  readonly waitingMax: number;
}

interface Means {
  readonly observe: Observe;
  /** Counts it among the requests being worked on. */
  readonly underWay: { begin(): void; end(): void };
}

export class Background {
  readonly #means: Means;
  readonly #bounds: Bounds;
  readonly #waiting: (() => void)[] = [];
  #running = 0;
  #pausing = 0;

  constructor(means: Means, bounds: Bounds) {
    this.#means = means;
    this.#bounds = bounds;
  }

  get waiting(): number {
    return this.#waiting.length + this.#pausing;
  }

  /** False when there is too much of it. */
  begin(task: string, work: BehindWork): boolean {
    const full = this.#running >= this.#bounds.atOnceMax;
    if (full && this.waiting >= this.#bounds.waitingMax) {
      this.#means.observe({ event: 'task.failed', task, error: tooBusy() });
      return false;
    }
    this.#means.underWay.begin();
    this.#take(task, work);
    return true;
  }

  #take(task: string, work: BehindWork): void {
    if (this.#running < this.#bounds.atOnceMax) this.#run(task, work);
    else this.#waiting.push(() => this.#run(task, work));
  }

  #run(task: string, work: BehindWork): void {
    this.#running += 1;
    // Not before the answer of who began it has had its turn.
    setImmediate(() => {
      void this.#outcome(task, work).then((again) => {
        this.#running -= 1;
        this.#waiting.shift()?.();
        if (again) this.#pause(task, again);
        else this.#means.underWay.end();
      });
    });
  }

  async #outcome(task: string, work: BehindWork): Promise<WorkAgain | undefined> {
    try {
      return (await work()) ?? undefined;
    } catch (error) {
      this.#means.observe({ event: 'task.failed', task, error });
      return undefined;
    }
  }

  #pause(task: string, { pauseMs, work }: WorkAgain): void {
    this.#pausing += 1;
    setTimeout(() => {
      this.#pausing -= 1;
      this.#take(task, work);
    }, pauseMs);
  }
}
