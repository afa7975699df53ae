// Bounds the log during floods, such as an outage or an overload: the first event of a kind is written at once, and while
// more arrive, the latest of them at intervals with their number.

interface Flood<T> {
  latest: T;
  times: number;
}

export class Floods<T> {
  readonly #write: (latest: T, times: number) => void;
  readonly #floods = new Map<string, Flood<T>>();

  constructor(write: (latest: T, times: number) => void) {
    this.#write = write;
  }

  /** Events of one `kind` are counted together. */
  add(kind: string, one: T, everyMs: number): void {
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
    this.#write(one, 1);
    const timer = setInterval(() => {
      if (flood.times > 0) this.#write(flood.latest, flood.times);
      else {
        clearInterval(timer);
        this.#floods.delete(kind);
      }
      flood.times = 0;
    }, everyMs);
    timer.unref();
  }
}
