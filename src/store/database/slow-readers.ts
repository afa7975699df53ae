// Applications whose reads the database has lately had to end on the lanes. For a while what they read goes elsewhere: each
// read that is ended has kept back those that stood behind it, of other applications too.

/** So many are ended within a round or two before the lanes are closed to an application. A stall of the database ends one on each lane. */
const ENDED_MAX = 5;
const ROUND_MS = 5_000;

export class SlowReaders {
  /** How many were ended, by application. No more can be than the lanes have time for. */
  #ended = new Map<string, number>();
  #endedBefore = new Map<string, number>();
  #roundEndsAt = 0;

  /** A read of the application was ended. */
  add(name: string): void {
    this.#turnRounds();
    this.#ended.set(name, (this.#ended.get(name) ?? 0) + 1);
  }

  has(name: string): boolean {
    // Nearly always.
    if (this.#ended.size === 0 && this.#endedBefore.size === 0) return false;
    this.#turnRounds();
    return (this.#ended.get(name) ?? 0) + (this.#endedBefore.get(name) ?? 0) >= ENDED_MAX;
  }

  #turnRounds(): void {
    const now = performance.now();
    if (now <= this.#roundEndsAt) return;
    this.#endedBefore = now <= this.#roundEndsAt + ROUND_MS ? this.#ended : new Map();
    this.#ended = new Map();
    this.#roundEndsAt = now + ROUND_MS;
  }
}
