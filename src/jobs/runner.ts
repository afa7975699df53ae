// Runs the jobs of a node. A job runs again `everyMs` after its last run ended, whether it failed or not; failures are
// reported.

import type { Observe } from '../events/events.ts';

export interface Job {
  readonly name: string;
  readonly everyMs: number;
  /** Also runs when the server starts instead of waiting for `everyMs` first. */
  readonly atStart?: boolean;
  /** A stopping server aborts the signal and waits for the run, so long jobs must end early. */
  readonly run: (signal: AbortSignal) => Promise<void>;
}

/** Minimum pause after a failure, so that a frequent job does not flood the log while the database is unavailable. */
const FAILURE_PAUSE_MS = 2_000;

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

  /** Resolves when all running jobs have ended. */
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
        this.#wait(job, failed ? Math.max(job.everyMs, FAILURE_PAUSE_MS) : job.everyMs);
      });
    this.#running.add(running);
  }
}
