// Memory budgets follow the size of the heap that this process was given.

import { getHeapStatistics } from 'node:v8';

/** A part of the heap's limit, at most `bytesMax`. */
export const partOfHeap = (part: number, bytesMax: number): number =>
  Math.min(bytesMax, getHeapStatistics().heap_size_limit * part);
