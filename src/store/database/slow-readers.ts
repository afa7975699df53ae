// Applications whose reads the database has lately ended on the lanes. For a while their reads run on connections of their
// own: each read that is ended delayed the statements after it on its lane, of other applications too.

/** Ended reads, within a round or two, that close the lanes to an application. A stall of the database ends one on each lane. */
const ENDED_MAX = 5;
const ROUND_MS = 5_000;

export class SlowReaders {
  /** Ended reads by application. The lanes have time for few of them, which bounds the map. */
  #ended = new Map<string, number>();
  #endedBefore = new Map<string, number>();
  #roundEndsAt = 0;

  /** A read of the application was ended. */
  add(name: string): void {
    this.#startRound();
    this.#ended.set(name, (this.#ended.get(name) ?? 0) + 1);
  }

  has(name: string): boolean {
    // The usual case.
    if (this.#ended.size === 0 && this.#endedBefore.size === 0) return false;
    this.#startRound();
    return (this.#ended.get(name) ?? 0) + (this.#endedBefore.get(name) ?? 0) >= ENDED_MAX;
  }

  #startRound(): void {
    const now = performance.now();
    if (now <= this.#roundEndsAt) return;
    this.#endedBefore = now <= this.#roundEndsAt + ROUND_MS ? this.#ended : new Map();
    this.#ended = new Map();
    this.#roundEndsAt = now + ROUND_MS;
  }
}
