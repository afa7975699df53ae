// One clock for all nodes: the database's. Each node measures its own offset from it and passes times to statements as
// parameters. The clock never goes backwards within a node, nor do the times of a record (store/records/records).

import type { Reader } from './handles.ts';

const MEASURE_MS = 30_000;
const SAMPLES = 3;

/** Milliseconds since 1970. */
export async function readTime(reader: Reader): Promise<number> {
  const rows = await reader.rows('select extract(epoch from clock_timestamp())::float8 * 1000', [], { prepare: true });
  return Number(rows[0]?.[0]);
}

export class Clock {
  /** What to add to `performance.now()` to get the database's milliseconds since 1970. */
  #offset = performance.timeOrigin;
  #latest = 0;
  #timer: NodeJS.Timeout | undefined;

  /** Milliseconds since 1970 by the database's clock. */
  now(): number {
    this.#latest = Math.max(this.#latest, Math.floor(performance.now() + this.#offset));
    return this.#latest;
  }

  /** Measures now and every MEASURE_MS; a failed measurement keeps the current offset. */
  async follow(system: Reader): Promise<void> {
    await this.#measure(system);
    this.#timer = setInterval(() => void this.#measure(system).catch(() => undefined), MEASURE_MS);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async #measure(system: Reader): Promise<void> {
    let best: { roundTrip: number; offset: number } | undefined;
    for (let sample = 0; sample < SAMPLES; sample++) {
      const before = performance.now();
      const time = await readTime(system);
      const after = performance.now();
      const offset = time - (before + after) / 2;
      // The quickest round trip has the smallest error.
      if (best === undefined || after - before < best.roundTrip) best = { roundTrip: after - before, offset };
    }
    if (best !== undefined) this.#offset = best.offset;
  }
}
