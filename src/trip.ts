// One request on its way: where its time went, by when it has to be answered, and what is to stop when it is not. Passed
// along the road as an argument, down to the statements that are run for it (docs/architecture.md, "Overload").

import type { Fault } from './faults.ts';

export type Stage = 'admission' | 'gate' | 'quota' | 'body' | 'operation';

/** What is kept of a request that is traced (inside/traces). */
export interface Trace {
  readonly id: string;
  statement(text: string, from: number, to: number): void;
  end(trip: Trip, status: number): void;
}

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
  /** Of the path, in its right form; whether there is such an application is another question. */
  applicationId: string | undefined = undefined;
  /** Whether who asks has proved who they are, and which user that is, where it is one. */
  authenticated = false;
  userId: string | undefined = undefined;
  /** The group of operations in whose quota it was counted. */
  group: string | undefined = undefined;
  /** What it was answered with, where that is a problem. */
  problem: Fault | undefined = undefined;
  /** What was asked of the database for it, and how long that took, waiting for a connection included. */
  statements = 0;
  databaseMs = 0;
  /** Of files that it brought or took along. */
  bytesIn = 0;
  bytesOut = 0;
  trace: Trace | undefined = undefined;
  /** Where a file is on its way to us: gives back its place among the transfers. */
  endTransfer: (() => void) | undefined;
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

  /** What was asked of the database together, at that moment, is answered. */
  noteStatements(from: number, statements: readonly { readonly text: string }[]): void {
    const to = performance.now();
    this.statements += statements.length;
    this.databaseMs += to - from;
    if (this.trace !== undefined) for (const { text } of statements) this.trace.statement(text, from, to);
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
