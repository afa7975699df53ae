// Elements of a batch are taken in order, up to the first that fails.

import type { RecordText } from '../domain/record-text.ts';
import { Fault } from '../faults.ts';

export interface Failure {
  readonly index: number;
  readonly fault: Fault;
}

export interface Outcome {
  /** The text of each record after its element, for the elements before the failure. */
  readonly texts: readonly RecordText[];
  readonly failure?: Failure;
}

/** Applies `make` in order, up to the first fault. */
export function inOrder<T, R>(
  items: readonly T[],
  make: (item: T, index: number) => R,
): { done: R[]; failure?: Failure } {
  const done: R[] = [];
  for (const [index, item] of items.entries()) {
    try {
      done.push(make(item, index));
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      return { done, failure: { index, fault: error } };
    }
  }
  return { done };
}
