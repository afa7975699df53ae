// One request on its way: where its time went, by when it has to be answered, and what is to stop when it is not. Passed
// along the road as an argument, down to the statements that are run for it (docs/architecture/overload.md).

import type { IncomingHttpHeaders } from 'node:http';
import type { Fault } from '../faults.ts';
import { RequestSignal } from './signal.ts';

export type Stage = 'admission' | 'gate' | 'quota' | 'body' | 'operation';

/** What is kept of a request that is traced (monitoring/traces). */
export interface Trace {
  readonly id: string;
  addStatements(asked: SentStatements): void;
  end(scope: RequestScope, status: number): void;
}

/** What is asked of the database together; `to` when it is answered. */
export interface SentStatements {
  readonly statements: readonly { readonly text: string }[];
  readonly from: number;
  to: number | undefined;
}

/** What a trace begins with. */
export interface TraceStart {
  readonly scope: RequestScope;
  readonly method: string;
  readonly route: string;
  readonly scheme: string;
  readonly headers: IncomingHttpHeaders;
  /** The other end of the connection. */
  readonly peer: string | undefined;
}

export class RequestScope {
  readonly id: string;
  /** All moments are `performance.now()`. */
  readonly startedAt = performance.now();
  /** Those of the answer besides its own, whatever the answer is. */
  readonly headers: Record<string, string> = {};
  /** How long each stage took. One that the request had to go through again has several. */
  readonly stages: { readonly stage: Stage; readonly from: number; readonly to: number }[] = [];
  /** By then it is answered. Moves on while the client is waited for. */
  deadlineAt: number;
  /** Aborts when the deadline has passed or a reading client has left; its reason is the fault. */
  readonly signal = new RequestSignal();
  /** What the request counts with in queues and budgets: its application, or '' for unknown ones (gate/admission). */
  tenant = '';
  /** Whether it holds an admission slot, or waits for a slot or for bytes. */
  admitted = false;
  waiting = false;
  /** Whether its work has to be done in slices (request/slices.ts): set by the size of its body, or by the time it took. */
  heavy = false;
  /** Of the path, in its right form; whether there is such an application is another question. */
  applicationId: string | undefined = undefined;
  /** Whether who asks has proved who they are, and which user that is, where it is one. */
  authenticated = false;
  userId: string | undefined = undefined;
  /** The group of operations in whose quota it was counted. */
  group: string | undefined = undefined;
  /** Takes that back. */
  returnQuota: ((scope: RequestScope) => void) | undefined = undefined;
  /** What it was answered with, where that is a problem. */
  problem: Fault | undefined = undefined;
  /** What was asked of the database for it. */
  statements = 0;
  /** While this is above 0 the request cannot start over (store/database/committed-writes). */
  committedWrites = 0;
  /** Of files that it brought or took along. */
  bytesIn = 0;
  bytesOut = 0;
  /** Of long records that it reads (byte-budget). */
  heldBytes = 0;
  trace: Trace | undefined = undefined;
  /** Its place among those whose time is looked at (http/clients/deadlines). */
  watchedAt: number | undefined = undefined;
  /** Where a file is on its way to us: gives back its place among the transfers. */
  endTransfer: (() => void) | undefined;
  #stage: Stage | undefined;
  #stageFrom = this.startedAt;
  #arrived = false;
  /** Waits for the database: how long those took that have ended, how many are under way, and the sum of their beginnings. */
  #waitedMs = 0;
  #waits = 0;
  #waitsFrom = 0;

  constructor(id: string, milliseconds: number) {
    this.id = id;
    this.deadlineAt = this.startedAt + milliseconds;
  }

  /** Ends the stage before it. The first began with the request; behind the answer there is none. */
  beginStage(stage: Stage): void {
    if (this.#stage !== undefined) this.#lap(this.#stage);
    if (!this.#arrived) this.#stage = stage;
  }

  /** It is answered, from whatever stage: that has ended. */
  endStages(): void {
    if (this.#stage !== undefined) this.#lap(this.#stage);
    this.#stage = undefined;
    this.#arrived = true;
  }

  #lap(stage: Stage): void {
    const to = performance.now();
    this.stages.push({ stage, from: this.#stageFrom, to });
    this.#stageFrom = to;
  }

  /** How long it has waited for the database, for connections as well, up to now. */
  get databaseMs(): number {
    return this.#waits === 0 ? this.#waitedMs : this.#waitedMs + this.#waits * performance.now() - this.#waitsFrom;
  }

  startStatements(statements: SentStatements['statements']): SentStatements {
    this.statements += statements.length;
    const asked: SentStatements = { statements, from: this.startDatabaseWait(), to: undefined };
    this.trace?.addStatements(asked);
    return asked;
  }

  endStatements(asked: SentStatements): void {
    asked.to = this.endDatabaseWait(asked.from);
  }

  /** Gives the moment, which is what `endWait` wants to know. */
  startDatabaseWait(): number {
    const from = performance.now();
    this.#waits += 1;
    this.#waitsFrom += from;
    return from;
  }

  endDatabaseWait(from: number): number {
    const to = performance.now();
    this.#waitedMs += to - from;
    this.#waits -= 1;
    // Nothing of the roundings stays.
    this.#waitsFrom = this.#waits === 0 ? 0 : this.#waitsFrom - from;
    return to;
  }

  /** Since when it waits for the database: of several waits at once, about. */
  get databaseWaitSince(): number {
    return this.#waits === 0 ? Number.POSITIVE_INFINITY : this.#waitsFrom / this.#waits;
  }

  /** Whatever runs or waits for the request ends, and the fault is what the request is answered with. */
  cancel(fault: Fault): void {
    this.signal.abort(fault);
  }
}
