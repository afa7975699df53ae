// What comes in floods while something is away or too much is asked: the first is told at once, and while more come the
// latest of them, every so often, with their number.

interface Flood<T> {
  latest: T;
  times: number;
}

export class Floods<T> {
  readonly #tell: (latest: T, times: number) => void;
  readonly #floods = new Map<string, Flood<T>>();

  constructor(tell: (latest: T, times: number) => void) {
    this.#tell = tell;
  }

  /** `kind`: what is counted together. */
  note(kind: string, one: T, everyMs: number): void {
    const flood = this.#floods.get(kind);
    if (flood === undefined) this.#begin(kind, one, everyMs);
    else {
      flood.latest = one;
      flood.times += 1;
    }
  }

  #begin(kind: string, one: T, everyMs: number): void {
    const flood = { latest: one, times: 0 };
    this.#floods.set(kind, flood);
    this.#tell(one, 1);
    const timer = setInterval(() => {
      if (flood.times > 0) this.#tell(flood.latest, flood.times);
      else {
        clearInterval(timer);
        this.#floods.delete(kind);
      }
      flood.times = 0;
    }, everyMs);
    timer.unref();
  }
}
