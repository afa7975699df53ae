// The changes of a session that can be undone and redone, the last first.

import type { RawValue } from '../../../../client/src/shapes.ts';

export interface Change {
  readonly recordId: string;
  readonly columnId: string;
  readonly before: RawValue | null;
  readonly after: RawValue | null;
}

/** More than anybody takes back one by one. */
const STEPS_MAX = 200;

export class History {
  #done: (readonly Change[])[] = [];
  #undone: (readonly Change[])[] = [];

  add(changes: readonly Change[]): void {
    this.#done = [...this.#done, changes].slice(-STEPS_MAX);
    this.#undone = [];
  }

  /** The changes that undo the last step. */
  undo(): readonly Change[] | undefined {
    const step = this.#done.pop();
    if (step === undefined) return undefined;
    this.#undone.push(step);
    return step.map(({ before, after, ...cell }) => ({ ...cell, before: after, after: before }));
  }

  redo(): readonly Change[] | undefined {
    const step = this.#undone.pop();
    if (step !== undefined) this.#done.push(step);
    return step;
  }

  /** A change that was not stored cannot be undone. */
  drop(recordId: string, columnId: string, after: RawValue | null): void {
    const kept = (change: Change) =>
      change.recordId !== recordId || change.columnId !== columnId || change.after !== after;
    this.#done = this.#done.map((step) => step.filter(kept)).filter((step) => step.length > 0);
  }
}
