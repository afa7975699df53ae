// Where the primary's write-ahead log was at which moment, by this node's clock. A standby that has replayed the log up to a
// sample shows all that was committed before the sample's moment, whoever wrote it. So the clocks of other machines play no
// part, neither for reading one's own writes nor for how far a standby lags.

interface Sample {
  /** Taken before the primary was asked. All moments are `performance.now()`. */
  moment: number;
  /** Bytes since the log began. */
  readonly position: number;
}

export class WalSamples {
  readonly #keptMs: number;
  #samples: Sample[] = [];

  /** `keptMs`: for a standby that lags further, no moment is known any more. */
  constructor(keptMs: number) {
    this.#keptMs = keptMs;
  }

  get latestPosition(): number | undefined {
    return this.#samples.at(-1)?.position;
  }

  add(moment: number, position: number): void {
    const last = this.#samples.at(-1);
    // A standby was promoted that lacked the end of the log: what was known of the former one means nothing now.
    if (last !== undefined && position < last.position) this.#samples = [];
    if (last?.position === position) last.moment = moment;
    else this.#samples.push({ moment, position });
    const kept = this.#samples.findIndex((sample) => sample.moment >= moment - this.#keptMs);
    if (kept > 0) this.#samples.splice(0, kept);
  }

  /** The latest moment up to which a standby at this position shows everything; undefined if it has reached no sample. */
  reachedBy(position: number): number | undefined {
    return this.#samples.findLast((sample) => sample.position <= position)?.moment;
  }
}
