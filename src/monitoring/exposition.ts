// Turns figures into the text that Prometheus reads. The library is loaded with the first request for metrics; from then
// on it also measures the event loop and the garbage collector, once for the whole process.

import type { Registry } from 'prom-client';
import type { Figure } from './figures.ts';

export const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

let watching: Promise<Registry> | undefined;

async function watchProcess(): Promise<Registry> {
  const { Registry, collectDefaultMetrics } = (await import('prom-client')).default;
  const register = new Registry();
  // Samples the event loop every 10 ms, which takes 0.35 % of a core.
  collectDefaultMetrics({ register });
  return register;
}

/** The figures of Node and its process, with the library's usual names. */
export async function processFigures(): Promise<Figure[]> {
  watching ??= watchProcess();
  const figures = await (await watching).getMetricsAsJSON();
  return figures.map(({ name, help, type, aggregator, values }) => ({
    ...{ name, help, values, type: String(type) },
    // The library leaves out the start time when it aggregates; the earliest is kept.
    aggregator: aggregator === 'omit' ? 'min' : aggregator,
  }));
}

/** Aggregates the figures of all processes of a server. */
export async function exposition(processes: readonly (readonly Figure[])[]): Promise<string> {
  const { AggregatorRegistry } = (await import('prom-client')).default;
  return AggregatorRegistry.aggregate([...processes]).metrics();
}
