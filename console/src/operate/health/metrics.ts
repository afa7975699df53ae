// Reads the figures of /metrics, which are in the Prometheus text format.

export interface Metric {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const LINE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)(?: \d+)?$/;
const LABEL = /([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"/g;

export function readMetrics(text: string): Metric[] {
  return text.split('\n').flatMap((line) => {
    const [, name, labels = '', value] = LINE.exec(line) ?? [];
    return name === undefined || value === undefined
      ? []
      : [{ name, labels: labelsIn(labels), value: numberOf(value) }];
  });
}

function labelsIn(text: string): Record<string, string> {
  return Object.fromEntries(
    [...text.matchAll(LABEL)].map(([, name = '', value = '']) => [name, value.replace(/\\(.)/g, unescaped)]),
  );
}

const unescaped = (_: string, letter: string): string => (letter === 'n' ? '\n' : letter);

const numberOf = (text: string): number =>
  text === '+Inf' ? Number.POSITIVE_INFINITY : text === '-Inf' ? Number.NEGATIVE_INFINITY : Number(text);

/** All figures of one reading, with ways to ask for them. */
export class Reading {
  readonly #byName = new Map<string, Metric[]>();

  constructor(metrics: readonly Metric[]) {
    for (const metric of metrics) {
      const same = this.#byName.get(metric.name);
      if (same === undefined) this.#byName.set(metric.name, [metric]);
      else same.push(metric);
    }
  }

  all(name: string): readonly Metric[] {
    return this.#byName.get(name) ?? [];
  }

  /** The sum over all labels that fit; undefined if the server does not say. */
  sum(name: string, fits: (labels: Metric['labels']) => boolean = () => true): number | undefined {
    const fitting = this.all(name).filter(({ labels }) => fits(labels));
    return fitting.length === 0 ? undefined : fitting.reduce((sum, { value }) => sum + value, 0);
  }

  label(name: string, label: string): string | undefined {
    return this.all(name)[0]?.labels[label];
  }
}
