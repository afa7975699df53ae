// How far V8's heap grows between two full collections. Each of them stops the event loop for some milliseconds.

import { setFlagsFromString } from 'node:v8';

/**
 * To twice what the last one left. V8 lets a busy one grow to four times and more: with 20 MB in use and 32 connections that list
 * pages with references it had 110 MB of garbage, and the process 247 MB for 178. More collections cost creates about 5 % of their
 * rate; with 150 they cost 3 %, and those pages took 226 MB.
 */
const USUAL = '--heap-growing-percent=100';
/**
 * While heavy work goes on beside other tenants: the texts of large bodies are megabytes of garbage each, and with the usual growth
 * the heap was collected about once a second, so one in a hundred short requests waited for that.
 */
const BESIDE_OTHERS = '--heap-growing-percent=300';
/** After the last heavy request. */
const LASTS_MS = 5_000;

let isBound = false;
let isWide = false;
let wideUntil = 0;

/** Unlike other settings of the heap it can be changed while Node runs. A growth that was given to Node is kept. */
export function boundHeapGrowth({ execArgv }: Pick<NodeJS.Process, 'execArgv'> = process): void {
  if (execArgv.some((text) => /^--heap[-_]growing[-_]percent/.test(text))) return;
  isBound = true;
  setFlagsFromString(USUAL);
}

/** A heavy request begins beside other tenants. */
export function widenHeapGrowth(): void {
  if (!isBound) return;
  wideUntil = performance.now() + LASTS_MS;
  if (isWide) return;
  isWide = true;
  setFlagsFromString(BESIDE_OTHERS);
  setTimeout(narrow, LASTS_MS).unref();
}

function narrow(): void {
  const leftMs = wideUntil - performance.now();
  if (leftMs > 0) {
    setTimeout(narrow, leftMs).unref();
    return;
  }
  isWide = false;
  setFlagsFromString(USUAL);
}
