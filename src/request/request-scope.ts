// One request being handled: its deadline, its cancellation and where its time went. Passed as an argument from the handler
// down to the statements that run for the request (docs/architecture/overload.md).

import type { IncomingHttpHeaders } from 'node:http';
import type { Fault } from '../faults.ts';
import { RequestSignal } from './signal.ts';

/** The route of a request that matches none, in log lines and metrics. */
export const NO_ROUTE = 'none';

export type Stage = 'admission' | 'gate' | 'quota' | 'body' | 'operation';

/** The spans of a traced request (monitoring/traces). */
export interface Trace {
  readonly id: string;
  addStatements(sent: SentStatements): void;
  end(scope: RequestScope, status: number): void;
}

/** Statements sent together; `to` is set when their results have arrived. */
export interface SentStatements {
  readonly statements: readonly { readonly text: string }[];
  readonly from: number;
  to: number | undefined;
}

export interface TraceStart {
  readonly scope: RequestScope;
  readonly method: string;
  readonly route: string;
  readonly scheme: string;
  readonly headers: IncomingHttpHeaders;
  /** Address of the other end of the connection. */
  readonly peer: string | undefined;
}

export class RequestScope {
  readonly id: string;
  /** All moments are `performance.now()`. */
  readonly startedAt = performance.now();
  /** Headers that are added to the reply, whatever the reply is. */
  readonly headers: Record<string, string> = {};
  /** How long each stage took. A stage that ran more than once has several entries. */
  readonly stages: { readonly stage: Stage; readonly from: number; readonly to: number }[] = [];
  /** The reply is due by then. Extended while the server waits for the client. */
  deadlineAt: number;
  /** Aborts when the deadline has passed or a reading client has left; its reason is the fault. */
  readonly signal = new RequestSignal();
  /** The application that the request counts under in queues and budgets, or '' if it is unknown (gate/admission). */
  tenant = '';
  /** Whether the request holds an admission slot. */
  admitted = false;
  /** Whether the request waits for a slot or for bytes. */
  waiting = false;
  /** Whether its work is done in slices (load/slices.ts): set by the size of the body, or by the time used so far. */
  heavy = false;
  /** A well-formed identifier from the path; the application need not exist. */
  applicationId: string | undefined = undefined;
  authenticated = false;
  /** Undefined for the operator and for visitors. */
  userId: string | undefined = undefined;
  /** Set for an operator's request with a session: the application and the user, as in a path. */
  operator: string | undefined = undefined;
  /** The group whose quota the request was counted in. */
  group: string | undefined = undefined;
  /** Takes the request out of its quota again. */
  returnQuota: ((scope: RequestScope) => void) | undefined = undefined;
  /** The fault that the request was replied to with, if any. */
  problem: Fault | undefined = undefined;
  /** Number of statements sent for the request. */
  statements = 0;
  /** A request with committed writes cannot start over (store/database/committed-writes). */
  committedWrites = 0;
  /** Bytes of files received and sent. */
  bytesIn = 0;
  bytesOut = 0;
  /** Bytes reserved for long records (byte-budget). */
  heldBytes = 0;
  trace: Trace | undefined = undefined;
  /** Index of the request in the list of watched deadlines (http/clients/deadlines). */
  watchedAt: number | undefined = undefined;
  /** Set while a file is being received: releases the transfer slot. */
  endTransfer: (() => void) | undefined;
  #stage: Stage | undefined;
  #stageFrom = this.startedAt;
  #ended = false;
  /** Total of the finished waits for the database. */
  #waitedMs = 0;
  /** How many waits are open, and the sum of their starts. */
  #waits = 0;
  #waitsFrom = 0;

  constructor(id: string, milliseconds: number) {
    this.id = id;
    this.deadlineAt = this.startedAt + milliseconds;
  }

  /** Also ends the current stage. The first stage began with the request; after the reply no stage begins. */
  beginStage(stage: Stage): void {
    if (this.#stage !== undefined) this.#endStage(this.#stage);
    if (!this.#ended) this.#stage = stage;
  }

  /** Called when the reply is sent, in whatever stage. */
  endStages(): void {
    if (this.#stage !== undefined) this.#endStage(this.#stage);
    this.#stage = undefined;
    this.#ended = true;
  }

  #endStage(stage: Stage): void {
    const to = performance.now();
    this.stages.push({ stage, from: this.#stageFrom, to });
    this.#stageFrom = to;
  }

  /** Time spent waiting for the database so far, including for connections. */
  get databaseMs(): number {
    return this.#waits === 0 ? this.#waitedMs : this.#waitedMs + this.#waits * performance.now() - this.#waitsFrom;
  }

  startStatements(statements: SentStatements['statements']): SentStatements {
    this.statements += statements.length;
    const sent: SentStatements = { statements, from: this.startDatabaseWait(), to: undefined };
    this.trace?.addStatements(sent);
    return sent;
  }

  endStatements(sent: SentStatements): void {
    sent.to = this.endDatabaseWait(sent.from);
  }

  /** Returns the start of the wait, which `endDatabaseWait` takes. */
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
    // Rounding errors must not add up.
    this.#waitsFrom = this.#waits === 0 ? 0 : this.#waitsFrom - from;
    return to;
  }

  /** When the current wait for the database began; the average if there are several. */
  get databaseWaitSince(): number {
    return this.#waits === 0 ? Number.POSITIVE_INFINITY : this.#waitsFrom / this.#waits;
  }

  /** Ends everything that runs or waits for the request; the reply carries the fault. */
  cancel(fault: Fault): void {
    this.signal.abort(fault);
  }
}
