// One request on its way: where its time went, by when it has to be answered, and what is to stop when it is not. Passed
// along the road as an argument, down to the statements that are run for it (docs/architecture.md, "Overload").

import type { Fault } from './faults.ts';

export type Stage = 'admission' | 'gate' | 'quota' | 'body' | 'operation';

export class Trip {
  readonly id: string;
  /** All moments are `performance.now()`. */
  readonly startedAt = performance.now();
  /** Those of the answer besides its own, whatever the answer is. */
  readonly headers: Record<string, string> = {};
  /** How long each stage took. One that the request had to go through again has several. */
  readonly laps: { readonly stage: Stage; readonly from: number; readonly to: number }[] = [];
  /** By then it is answered. Moves on while the client is waited for. */
  deadlineAt: number;
  /** The application under which it is counted where applications share (gate/admission). */
  share = '';
  /** Whether it has a place among those that are worked on. */
  admitted = false;
  #lapFrom = this.startedAt;
  #stopped: Fault | undefined;
  #stoppers: Set<(why: Fault) => void> | undefined;

  constructor(id: string, milliseconds: number) {
    this.id = id;
    this.deadlineAt = this.startedAt + milliseconds;
  }

  /** What has happened since the last lap was this stage. */
  lap(stage: Stage): void {
    const to = performance.now();
    this.laps.push({ stage, from: this.#lapFrom, to });
    this.#lapFrom = to;
  }

  /** Why nothing is to be begun for it any more. */
  get stopped(): Fault | undefined {
    return this.#stopped;
  }

  stop(why: Fault): void {
    if (this.#stopped !== undefined) return;
    this.#stopped = why;
    const stoppers = this.#stoppers ?? [];
    this.#stoppers = undefined;
    for (const stopper of stoppers) stopper(why);
  }

  /** Called once when it is stopped, unless it is taken back before. */
  whenStopped(stopper: (why: Fault) => void): void {
    this.#stoppers ??= new Set();
    this.#stoppers.add(stopper);
  }

  takeBack(stopper: (why: Fault) => void): void {
    this.#stoppers?.delete(stopper);
  }
}
