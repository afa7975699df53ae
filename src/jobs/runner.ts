// What a node does by the clock. Each job runs again a while after it has ended; a failure is told and changes nothing.

import type { Observe } from '../observe/events.ts';

export interface Job {
  readonly name: string;
  readonly everyMs: number;
  /** Whether it runs at once when the server starts, and not only after its time. */
  readonly atStart?: boolean;
  /** The signal is given when the server is stopped, which waits for what is under way: what takes long ends then. */
  readonly run: (signal: AbortSignal) => Promise<void>;
}

/** What fails, fails again while the database is away: there is a line in the log for it, and not for every time. */
const FAILED_MS = 2_000;

export class JobRunner {
  readonly #timers = new Map<string, NodeJS.Timeout>();
  readonly #running = new Set<Promise<void>>();
  readonly #jobs: readonly Job[];
  readonly #observe: Observe;
  readonly #stopping = new AbortController();

  constructor(jobs: readonly Job[], observe: Observe) {
    this.#jobs = jobs;
    this.#observe = observe;
  }

  get names(): string[] {
    return this.#jobs.map(({ name }) => name);
  }

  start(): void {
    for (const job of this.#jobs) {
      if (job.atStart === true) this.#run(job);
      else this.#wait(job, job.everyMs);
    }
  }

  /** Resolves when what is under way has ended. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    for (const timer of this.#timers.values()) clearTimeout(timer);
    await Promise.all(this.#running);
  }

  #wait(job: Job, milliseconds: number): void {
    if (this.#stopping.signal.aborted) return;
    const timer = setTimeout(() => this.#run(job), milliseconds);
    timer.unref();
    this.#timers.set(job.name, timer);
  }

  #run(job: Job): void {
    const startedAt = performance.now();
    let failed = false;
    const running = job
      .run(this.#stopping.signal)
      .catch((error: unknown) => {
        failed = true;
        this.#observe({ event: 'job.failed', job: job.name, error });
      })
      .then(() => {
        this.#observe({ event: 'job.ended', job: job.name, milliseconds: performance.now() - startedAt, failed });
        this.#running.delete(running);
        this.#wait(job, failed ? Math.max(job.everyMs, FAILED_MS) : job.everyMs);
      });
    this.#running.add(running);
  }
}
