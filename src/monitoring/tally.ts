// Counters by the values of a few labels. Not the metrics library's own: it builds a string for each lookup of labels,
// 1.3 µs per count, and it is only loaded with the first request for metrics (monitoring/exposition).

export interface CountedValue {
  readonly labels: Readonly<Partial<Record<string, string | number>>>;
  readonly value: number;
  /** For the parts of a histogram, which have names of their own. */
  readonly metricName?: string;
}

const SEPARATOR = '\n';

export class Tally {
  readonly #labels: readonly string[];
  readonly #counts = new Map<string, number>();

  constructor(...labels: readonly string[]) {
    this.#labels = labels;
  }

  add(values: readonly string[], by = 1): void {
    this.set(values, (this.#counts.get(values.join(SEPARATOR)) ?? 0) + by);
  }

  set(values: readonly string[], value: number): void {
    this.#counts.set(values.join(SEPARATOR), value);
  }

  values(): CountedValue[] {
    return [...this.#counts].map(([key, value]) => {
      const texts = key.split(SEPARATOR);
      return { labels: Object.fromEntries(this.#labels.map((label, index) => [label, texts[index] ?? ''])), value };
    });
  }
}
