// Thumbnails of uploaded images, made in a process of their own: image decoders are large, written in C and fed by
// strangers, so that a crash, a hang or a bomb must cost one thumbnail and never the server. Here is who may ask and when;
// the process is in thumbnail-child.ts, what it does in thumbnail-worker.ts.

import type { Readable } from 'node:stream';
import { tooBusy } from '../faults.ts';
import { BoundedMap } from '../request/bounded-map.ts';
import { FairQueue } from '../request/fair-queue.ts';
import { onAbort, type Signal } from '../request/signal.ts';
import { ThumbnailChild, ThumbnailProcessLost } from './thumbnail-child.ts';

/** The longer side of a thumbnail, in pixels. */
export const THUMBNAIL_SIZES = [64, 128, 256, 512, 1024] as const;

/** Each may take 500 MB at worst. */
const WORKERS = 2;
/** One image may take as long as a worker is given: an application leaves the other worker to the others. */
const WORKERS_EACH = WORKERS - 1;
/** A few pages of them for each application. They hold nothing but a place; whoever comes later is told to come again. */
const WAITING = { eachMax: 256, allMax: 1_024 };
const JOB_MS_MAX = 20_000;
const IDLE_MS_MAX = 30_000;
/** What was refused is not looked at again soon. Not for good: the bytes may have been damaged here, and mended since. */
const REFUSED_MS = 600_000;
const REFUSED_MAX = 10_000;
const TOO_MUCH = 'The image takes too much to be made small.';

/** The bytes are no image that we show; `reason` is a sentence for whoever looks at it, `cause` the decoder's words. */
export class NotAnImage extends Error {
  override readonly name = 'NotAnImage';
  readonly reason: string;
  constructor(reason: string, detail: string) {
    super(reason, detail === '' ? {} : { cause: detail });
    this.reason = reason;
  }
}

/** What to make a thumbnail of. */
export interface Image {
  /** Under which it is known; what is in it never changes. */
  readonly name: string;
  /** Whose it is: turns go round among the applications. */
  readonly tenant: string;
  /** Called when its turn has come. The stream is read as fast as it is used, and destroyed in any case. */
  readonly open: () => Promise<Readable>;
  /** Of who asks. */
  readonly signal?: Signal;
}

class Waiting {
  readonly tenant: string;
  go: () => void = () => undefined;
  refuse: (error: Error) => void = () => undefined;
  readonly turn = new Promise<void>((resolve, reject) => {
    [this.go, this.refuse] = [resolve, reject];
  });

  constructor(tenant: string) {
    this.tenant = tenant;
  }
}

/** One that is being made, or is to be. */
interface Making {
  readonly picture: Promise<Buffer>;
  askers: number;
  /** Leaves the queue; nothing when its turn has come. */
  readonly leave: (why: Error) => void;
}

export interface ThumbnailBounds {
  readonly jobMsMax?: number;
  readonly idleMsMax?: number;
}

export class Thumbnails {
  readonly #jobMsMax: number;
  readonly #idleMsMax: number;
  readonly #waiting = new FairQueue<Waiting>(WAITING);
  readonly #children = new Set<ThumbnailChild>();
  readonly #idle: ThumbnailChild[] = [];
  readonly #making = new Map<string, Making>();
  /** By name: why an image is not tried again, and until when. */
  readonly #refused = new BoundedMap<string, { readonly reason: string; readonly until: number }>(REFUSED_MAX);
  /** By application, how many are being made; none that has none. */
  readonly #runningOf = new Map<string, number>();
  #running = 0;
  #idleTimer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor({ jobMsMax = JOB_MS_MAX, idleMsMax = IDLE_MS_MAX }: ThumbnailBounds = {}) {
    this.#jobMsMax = jobMsMax;
    this.#idleMsMax = idleMsMax;
  }

  /**
   * A WebP of at most `size` × `size`, never enlarged, upright and without metadata; of an animation the first frame. Whoever
   * asks for the same while it is made gets the same; when all who asked are stopped it is not begun. What is no image, and one at which the process died or hung, is not tried again soon.
   */
  make(image: Image, size: number): Promise<Buffer> {
    const making = this.#makingOf(image, size);
    making.askers += 1;
    const unsubscribe = onAbort(image.signal, (reason) => {
      making.askers -= 1;
      if (making.askers === 0) making.leave(reason);
    });
    return making.picture.finally(unsubscribe);
  }

  #makingOf(image: Image, size: number): Making {
    const title = `${image.name} ${size}`;
    const known = this.#making.get(title);
    if (known !== undefined) return known;
    const waiting = new Waiting(image.tenant);
    const forget = () => {
      if (this.#making.get(title) === making) this.#making.delete(title);
    };
    const leave = (why: Error) => {
      if (!this.#waiting.remove(waiting.tenant, waiting)) return;
      // Who asks now is not among those who have left.
      forget();
      waiting.refuse(why);
    };
    const making: Making = { picture: this.#make(image, size, waiting).finally(forget), askers: 0, leave };
    this.#making.set(title, making);
    return making;
  }

  async #make({ name, open }: Image, size: number, waiting: Waiting): Promise<Buffer> {
    if (!THUMBNAIL_SIZES.some((each) => each === size)) throw new RangeError(`There are no thumbnails of ${size}`);
    this.#refuseKnown(name);
    await this.#turn(waiting);
    try {
      this.#refuseKnown(name);
      const source = await open();
      // Its errors are the job's; one that comes late would end the server if nobody listened.
      source.on('error', () => {});
      try {
        return await this.#run(source, size);
      } catch (error) {
        if (error instanceof NotAnImage) this.#remember(name, error.reason);
        if (error instanceof ThumbnailProcessLost && !this.#isClosed) this.#remember(name, TOO_MUCH);
        throw error;
      } finally {
        source.destroy();
      }
    } finally {
      this.#passOn(waiting.tenant);
    }
  }

  #refuseKnown(name: string): void {
    const refused = this.#refused.get(name);
    if (refused !== undefined && refused.until > performance.now()) throw new NotAnImage(refused.reason, '');
  }

  #remember(name: string, reason: string): void {
    this.#refused.set(name, { reason, until: performance.now() + REFUSED_MS });
  }

  /** Ends the processes; what is under way or waiting fails. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#idleTimer);
    for (const waiting of this.#waiting) {
      this.#waiting.remove(waiting.tenant, waiting);
      waiting.refuse(new Error('Thumbnails are closed'));
    }
    const children = [...this.#children];
    for (const child of children) child.end('Thumbnails are closed');
    await Promise.all(children.map(({ ended }) => ended));
  }

  async #run(source: Readable, size: number): Promise<Buffer> {
    const child = this.#takeChild();
    try {
      const answer = await child.ask(source, size, this.#jobMsMax);
      if ('thumbnail' in answer) return answer.thumbnail;
      throw new NotAnImage(answer.reason, answer.detail);
    } finally {
      if (child.isAlive) this.#idle.push(child);
    }
  }

  #takeChild(): ThumbnailChild {
    if (this.#isClosed) throw new Error('Thumbnails are closed');
    clearTimeout(this.#idleTimer);
    for (let child = this.#idle.pop(); child !== undefined; child = this.#idle.pop()) if (child.isAlive) return child;
    const child = new ThumbnailChild();
    this.#children.add(child);
    void child.ended.then(() => this.#children.delete(child));
    return child;
  }

  async #turn(waiting: Waiting): Promise<void> {
    if (this.#running < WORKERS && this.#mayRun(waiting.tenant)) {
      this.#begin(waiting.tenant);
      return;
    }
    if (!this.#waiting.add(waiting.tenant, waiting)) throw tooBusy();
    await waiting.turn;
  }

  #mayRun(tenant: string): boolean {
    return (this.#runningOf.get(tenant) ?? 0) < WORKERS_EACH;
  }

  #begin(tenant: string): void {
    this.#running += 1;
    this.#runningOf.set(tenant, (this.#runningOf.get(tenant) ?? 0) + 1);
  }

  #passOn(tenant: string): void {
    const left = (this.#runningOf.get(tenant) ?? 0) - 1;
    if (left > 0) this.#runningOf.set(tenant, left);
    else this.#runningOf.delete(tenant);
    this.#running -= 1;
    // Whose turn it is takes over the place at once, so that nobody can slip in between.
    const next = this.#waiting.next((other) => this.#mayRun(other));
    if (next !== undefined) {
      this.#begin(next.tenant);
      next.go();
      return;
    }
    if (this.#running > 0 || this.#isClosed) return;
    clearTimeout(this.#idleTimer);
    this.#idleTimer = setTimeout(() => {
      for (const child of this.#idle.splice(0)) child.end('It had nothing to do');
    }, this.#idleMsMax);
  }
}
