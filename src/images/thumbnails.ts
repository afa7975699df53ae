// Thumbnails of uploaded images, made in separate processes: image decoders are large C libraries that read untrusted
// files, so a crash, a hang or a decompression bomb may cost one thumbnail but never the server. This file queues the jobs
// and keeps the processes; thumbnail-child.ts talks to one process, and thumbnail-worker.ts is the program that it runs.

import type { Readable } from 'node:stream';
import { tooBusy } from '../faults.ts';
import { BoundedMap } from '../load/bounded-map.ts';
import { FairQueue } from '../load/fair-queue.ts';
import { onAbort, type Signal } from '../request/signal.ts';
import { ThumbnailChild, ThumbnailProcessLost } from './thumbnail-child.ts';

/** The longer side of a thumbnail, in pixels. */
export const THUMBNAIL_SIZES = [64, 128, 256, 512, 1024] as const;

/** Each may use up to 500 MB. */
const WORKERS = 2;
/** An image may occupy its worker up to the timeout, so one application never occupies all workers. */
const WORKERS_PER_TENANT = WORKERS - 1;
/** A few pages of thumbnails for each application. A queued job holds no memory to speak of; beyond the bounds requests get a 503. */
const QUEUE_BOUNDS = { eachMax: 256, allMax: 1_024 };
const JOB_MS_MAX = 20_000;
const IDLE_MS_MAX = 30_000;
/** A refused image is not tried again for this long. Not forever: stored bytes that were damaged may be repaired. */
const REFUSED_MS = 600_000;
const REFUSED_MAX = 10_000;
const TOO_EXPENSIVE = 'The image takes too much time or memory to decode.';

/** The file is not an image that can be shown. `reason` is a sentence for users, `cause` the decoder's message. */
export class NotAnImage extends Error {
  override readonly name = 'NotAnImage';
  readonly reason: string;
  constructor(reason: string, detail: string) {
    super(reason, detail === '' ? {} : { cause: detail });
    this.reason = reason;
  }
}

export interface Image {
  /** Identifies the file, whose content never changes. */
  readonly name: string;
  /** The application; the queue is fair among them. */
  readonly tenant: string;
  /** Called when the job starts. The stream is read with back-pressure and always destroyed. */
  readonly open: () => Promise<Readable>;
  /** Of the request. */
  readonly signal?: Signal;
}

class QueuedJob {
  readonly tenant: string;
  admit: () => void = () => undefined;
  reject: (error: Error) => void = () => undefined;
  readonly admitted = new Promise<void>((resolve, reject) => {
    [this.admit, this.reject] = [resolve, reject];
  });

  constructor(tenant: string) {
    this.tenant = tenant;
  }
}

/** A thumbnail that is queued or being made, shared by all requests for it. */
interface SharedJob {
  readonly thumbnail: Promise<Buffer>;
  callers: number;
  /** Removes the job from the queue; does nothing once it has started. */
  readonly cancel: (why: Error) => void;
}

export interface ThumbnailBounds {
  readonly jobMsMax?: number;
  readonly idleMsMax?: number;
}

export class Thumbnails {
  readonly #jobMsMax: number;
  readonly #idleMsMax: number;
  readonly #queue = new FairQueue<QueuedJob>(QUEUE_BOUNDS);
  readonly #children = new Set<ThumbnailChild>();
  readonly #idle: ThumbnailChild[] = [];
  readonly #jobs = new Map<string, SharedJob>();
  /** By image name: why it is not tried again, and until when. */
  readonly #refused = new BoundedMap<string, { readonly reason: string; readonly until: number }>(REFUSED_MAX);
  /** The number of running jobs by application; applications without one have no entry. */
  readonly #runningOf = new Map<string, number>();
  #running = 0;
  #idleTimer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor({ jobMsMax = JOB_MS_MAX, idleMsMax = IDLE_MS_MAX }: ThumbnailBounds = {}) {
    this.#jobMsMax = jobMsMax;
    this.#idleMsMax = idleMsMax;
  }

  /**
   * A WebP of at most `size` × `size`, never enlarged, upright and without metadata; of an animation the first frame.
   * Concurrent requests for the same thumbnail share one job, which is not started if all of them are cancelled. A file
   * that is not an image, or at which the process died or hung, is not tried again for a while.
   */
  make(image: Image, size: number): Promise<Buffer> {
    const job = this.#jobOf(image, size);
    job.callers += 1;
    const unsubscribe = onAbort(image.signal, (reason) => {
      job.callers -= 1;
      if (job.callers === 0) job.cancel(reason);
    });
    return job.thumbnail.finally(unsubscribe);
  }

  #jobOf(image: Image, size: number): SharedJob {
    const key = `${image.name} ${size}`;
    const known = this.#jobs.get(key);
    if (known !== undefined) return known;
    const queued = new QueuedJob(image.tenant);
    const forget = () => {
      if (this.#jobs.get(key) === job) this.#jobs.delete(key);
    };
    const cancel = (why: Error) => {
      if (!this.#queue.remove(queued.tenant, queued)) return;
      // A request that comes now must not join the cancelled job.
      forget();
      queued.reject(why);
    };
    const job: SharedJob = { thumbnail: this.#make(image, size, queued).finally(forget), callers: 0, cancel };
    this.#jobs.set(key, job);
    return job;
  }

  async #make({ name, open }: Image, size: number, queued: QueuedJob): Promise<Buffer> {
    if (!THUMBNAIL_SIZES.some((each) => each === size)) throw new RangeError(`There are no thumbnails of ${size}`);
    this.#refuseKnown(name);
    await this.#admit(queued);
    try {
      this.#refuseKnown(name);
      const source = await open();
      // The job reports the source's errors; one emitted after the job would crash the server without a listener.
      source.on('error', () => {});
      try {
        return await this.#run(source, size);
      } catch (error) {
        if (error instanceof NotAnImage) this.#remember(name, error.reason);
        if (error instanceof ThumbnailProcessLost && !this.#isClosed) this.#remember(name, TOO_EXPENSIVE);
        throw error;
      } finally {
        source.destroy();
      }
    } finally {
      this.#release(queued.tenant);
    }
  }

  #refuseKnown(name: string): void {
    const refused = this.#refused.get(name);
    if (refused !== undefined && refused.until > performance.now()) throw new NotAnImage(refused.reason, '');
  }

  #remember(name: string, reason: string): void {
    this.#refused.set(name, { reason, until: performance.now() + REFUSED_MS });
  }

  /** Ends the processes; running and queued jobs fail. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#idleTimer);
    for (const queued of this.#queue) {
      this.#queue.remove(queued.tenant, queued);
      queued.reject(new Error('Thumbnails are closed'));
    }
    const children = [...this.#children];
    for (const child of children) child.end('Thumbnails are closed');
    await Promise.all(children.map(({ ended }) => ended));
  }

  async #run(source: Readable, size: number): Promise<Buffer> {
    const child = this.#checkOutChild();
    try {
      const reply = await child.make(source, size, this.#jobMsMax);
      if ('thumbnail' in reply) return reply.thumbnail;
      throw new NotAnImage(reply.reason, reply.detail);
    } finally {
      if (child.isAlive) this.#idle.push(child);
    }
  }

  #checkOutChild(): ThumbnailChild {
    if (this.#isClosed) throw new Error('Thumbnails are closed');
    clearTimeout(this.#idleTimer);
    for (let child = this.#idle.pop(); child !== undefined; child = this.#idle.pop()) if (child.isAlive) return child;
    const child = new ThumbnailChild();
    this.#children.add(child);
    void child.ended.then(() => this.#children.delete(child));
    return child;
  }

  async #admit(queued: QueuedJob): Promise<void> {
    if (this.#running < WORKERS && this.#mayRun(queued.tenant)) {
      this.#begin(queued.tenant);
      return;
    }
    if (!this.#queue.add(queued.tenant, queued)) throw tooBusy();
    await queued.admitted;
  }

  #mayRun(tenant: string): boolean {
    return (this.#runningOf.get(tenant) ?? 0) < WORKERS_PER_TENANT;
  }

  #begin(tenant: string): void {
    this.#running += 1;
    this.#runningOf.set(tenant, (this.#runningOf.get(tenant) ?? 0) + 1);
  }

  #release(tenant: string): void {
    const left = (this.#runningOf.get(tenant) ?? 0) - 1;
    if (left > 0) this.#runningOf.set(tenant, left);
    else this.#runningOf.delete(tenant);
    this.#running -= 1;
    // The next job takes the slot over synchronously: a new request must not get it in between.
    const next = this.#queue.next((other) => this.#mayRun(other));
    if (next !== undefined) {
      this.#begin(next.tenant);
      next.admit();
      return;
    }
    if (this.#running > 0 || this.#isClosed) return;
    clearTimeout(this.#idleTimer);
    this.#idleTimer = setTimeout(() => {
      for (const child of this.#idle.splice(0)) child.end('The thumbnail process was idle');
    }, this.#idleMsMax);
  }
}
