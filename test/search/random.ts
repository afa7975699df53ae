// Chance that a seed repeats: the same seed gives the same records and the same queries.

export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed | 0;
  }

  /** From 0 up to 1, without 1 (mulberry32). */
  #next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  chance(probability: number): boolean {
    return this.#next() < probability;
  }

  /** Both ends included. */
  integer(from: number, to: number): number {
    return from + Math.floor(this.#next() * (to - from + 1));
  }

  pick<T>(list: readonly T[]): T {
    if (list.length === 0) throw new Error('nothing to pick from');
    return list[Math.floor(this.#next() * list.length)] as T;
  }

  /** `weighted([3, 'often'], [1, 'seldom'])`. */
  weighted<T>(...choices: readonly (readonly [number, T])[]): T {
    let left = this.#next() * choices.reduce((sum, [weight]) => sum + weight, 0);
    for (const [weight, choice] of choices) {
      left -= weight;
      if (left < 0) return choice;
    }
    return (choices.at(-1) as readonly [number, T])[1];
  }

  list<T>(length: number, make: () => T): T[] {
    return Array.from({ length }, make);
  }
}

/** One number of two, so that case 7 of seed 1 is not case 6 of seed 2. */
export function mixSeeds(seed: number, index: number): number {
  return (Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(index + 1, 0xc2b2ae35)) | 0;
}
