// From figures to the text that Prometheus reads. The library is loaded when somebody asks for the first time; from then
// on it also watches the event loop and the garbage collector, once for the whole process.

import type { Registry } from 'prom-client';
import type { Figure } from './figures.ts';

export const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

let watching: Promise<Registry> | undefined;

async function watchProcess(): Promise<Registry> {
  const { Registry, collectDefaultMetrics } = (await import('prom-client')).default;
  const register = new Registry();
  // It looks at the event loop every 10 ms, which takes 0.35 % of a core.
  collectDefaultMetrics({ register });
  return register;
}

/** Those of Node and its process, under the names that the library gives them everywhere. */
export async function processFigures(): Promise<Figure[]> {
  watching ??= watchProcess();
  const figures = await (await watching).getMetricsAsJSON();
  return figures.map(({ name, help, type, aggregator, values }) => ({
    ...{ name, help, values, type: String(type) },
    // That of the start, which the library would leave out.
    aggregator: aggregator === 'omit' ? 'min' : aggregator,
  }));
}

/** Of all processes of a server together. */
export async function exposition(processes: readonly (readonly Figure[])[]): Promise<string> {
  const { AggregatorRegistry } = (await import('prom-client')).default;
  return AggregatorRegistry.aggregate([...processes]).metrics();
}
