// Figures as a collector reads them.

import { OPERATOR_KEY } from './server.ts';

export interface Scrape {
  readonly text: string;
  /** Names of all figures, with or without a value. */
  readonly names: readonly string[];
  /** The sum of the values of a figure whose labels have all of these. */
  sum(name: string, labels?: Record<string, string>): number;
}

export async function scrape(address: string, headers = { authorization: `Bearer ${OPERATOR_KEY}` }): Promise<Scrape> {
  const response = await fetch(`${address}/metrics`, { headers });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${response.status} ${text}`);
  return readExposition(text);
}

export function readExposition(text: string): Scrape {
  const samples = [...text.matchAll(/^([a-z_0-9]+)(?:\{(.*)\})? (\S+)$/gim)].map(([, name, labels = '', value]) => ({
    name,
    labels: new Map([...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, label, text]) => [label, text])),
    value: Number(value),
  }));
  return {
    text,
    names: [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name = '']) => name),
    sum: (name, labels = {}) =>
      samples
        .filter((sample) => sample.name === name)
        .filter((sample) => Object.entries(labels).every(([label, value]) => sample.labels.get(label) === value))
        .reduce((sum, { value }) => sum + value, 0),
  };
}
