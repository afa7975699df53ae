// The elements of a request are applied in order, up to the first that fails.

import type { Context } from '../context.ts';
import type { RecordText } from '../domain/records/record-text.ts';
import { Fault } from '../faults.ts';
import type { Steps } from '../load/slices.ts';

export interface Failure {
  readonly index: number;
  readonly fault: Fault;
}

export interface Outcome {
  /** The text of each record after its element, for the elements before the failure. */
  readonly texts: readonly RecordText[];
  readonly failure?: Failure;
}

interface ElementsDone<R> {
  done: R[];
  failure?: Failure;
}

/** Applies `make` in order up to the first fault. Long work is cut into slices, so that other requests are served. */
export function inOrder<T, R>(
  at: Pick<Context, 'slices' | 'scope'>,
  items: readonly T[],
  make: (item: T, index: number) => R,
): Promise<ElementsDone<R>> {
  // biome-ignore lint/correctness/useYield: one element is one step
  return inOrderInSlices(at, items, function* (item, index) {
    return make(item, index);
  });
}

/** The same for elements that may each take long. */
export function inOrderInSlices<T, R>(
  { slices, scope }: Pick<Context, 'slices' | 'scope'>,
  items: readonly T[],
  make: (item: T, index: number) => Steps<R>,
): Promise<ElementsDone<R>> {
  return slices.run(scope, applyInOrder(items, make));
}

function* applyInOrder<T, R>(items: readonly T[], make: (item: T, index: number) => Steps<R>): Steps<ElementsDone<R>> {
  const done: R[] = [];
  for (const [index, item] of items.entries()) {
    if (index > 0) yield;
    try {
      done.push(yield* make(item, index));
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      return { done, failure: { index, fault: error } };
    }
  }
  return { done };
}
