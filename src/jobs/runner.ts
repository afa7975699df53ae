// What a node does by the clock. Each job runs again a while after it has ended; a failure is told and changes nothing.

import type { Observe } from '../observe.ts';

export interface Job {
  readonly name: string;
  readonly everyMs: number;
  readonly run: () => Promise<void>;
}

export class JobRunner {
  readonly #timers = new Map<string, NodeJS.Timeout>();
  readonly #running = new Set<Promise<void>>();
  readonly #jobs: readonly Job[];
  readonly #observe: Observe;
  #stopped = false;

  constructor(jobs: readonly Job[], observe: Observe) {
    this.#jobs = jobs;
    this.#observe = observe;
  }

  start(): void {
    for (const job of this.#jobs) this.#wait(job);
  }

  /** Resolves when what is under way has ended. */
  async stop(): Promise<void> {
    this.#stopped = true;
    for (const timer of this.#timers.values()) clearTimeout(timer);
    await Promise.all(this.#running);
  }

  #wait(job: Job): void {
    if (this.#stopped) return;
    const timer = setTimeout(() => this.#run(job), job.everyMs);
    timer.unref();
    this.#timers.set(job.name, timer);
  }

  #run(job: Job): void {
    const running = job
      .run()
      .catch((error: unknown) => this.#observe({ event: 'job.failed', job: job.name, error }))
      .then(() => {
        this.#running.delete(running);
        this.#wait(job);
      });
    this.#running.add(running);
  }
}
