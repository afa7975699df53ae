// The processes of `serve --workers N`, as the first process sees them: it starts them, replaces those that die, passes
// questions between them, and ends them. It has the signals, the embedded database and the notes for people; it serves
// nothing itself. What the two sides say to each other is here too.

import cluster, { type Worker } from 'node:cluster';
import type pg from 'pg';
import { workersLost } from '../monitoring/figures.ts';
import type { Observe } from '../observe/events.ts';
import { CommandFailure } from './failure.ts';

/** What a worker is given; by a message, because others of the machine may read arguments. */
export interface Orders {
  readonly connection: pg.ClientConfig;
  readonly operatorKey: string;
}

export interface Addresses {
  /** `http://HOST:PORT`. */
  readonly address: string;
  /** Where figures are served without a key, if anywhere. */
  readonly metricsAddress: string | undefined;
}

export type ToWorker =
  | { readonly kind: 'start'; readonly orders: Orders }
  /** The server is ready as a whole: from now on the log tells of everything. */
  | { readonly kind: 'ready' | 'leave' | 'close' }
  | { readonly kind: 'question'; readonly id: string }
  | { readonly kind: 'answers'; readonly id: string; readonly answers: readonly unknown[] };

export type FromWorker =
  | { readonly kind: 'hello' }
  | { readonly kind: 'waiting'; readonly what: string }
  | ({ readonly kind: 'listening' } & Addresses)
  /** In a sentence for people, or, where something went wrong that should not have, with the stack. */
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'ask'; readonly id: string }
  | { readonly kind: 'answer'; readonly id: string; readonly answer: unknown };

/** A worker that lived for so long did not die of something that the next one would die of at once. */
const SETTLED_MS = 10_000;
const REPLACE_MS = 100;
const REPLACE_MS_MAX = 10_000;
/** Whoever has not answered by then is left out. */
const ANSWER_MS = 1_000;
/** More than the time in which a server stops by itself. */
const CLOSE_MS = 28_000;

interface Question {
  readonly asking: Worker;
  readonly answers: Map<number, unknown>;
  readonly from: ReadonlySet<number>;
  readonly late: NodeJS.Timeout;
}

interface WorkersOptions {
  readonly count: number;
  readonly orders: Orders;
  readonly observe: Observe;
  /** Told for what a worker waits with its start, again and again while it does. */
  readonly onWaiting: (what: string) => void;
}

export class Workers {
  readonly #options: WorkersOptions;
  readonly #listening = new Set<Worker>();
  readonly #questions = new Map<string, Question>();
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly #complaints = new Map<Worker, string>();
  /** When all have begun to listen; rejects when one cannot. */
  readonly addresses: Promise<Addresses>;
  #begun: (addresses: Addresses) => void = () => undefined;
  #failed: (error: Error) => void = () => undefined;
  /** All have listened once: from then on one that dies is replaced. */
  #complete = false;
  #ready = false;
  #leaving = false;
  #quickDeaths = 0;
  #lost = 0;

  constructor(options: WorkersOptions) {
    this.#options = options;
    this.addresses = new Promise((resolve, reject) => {
      this.#begun = resolve;
      this.#failed = reject;
    });
    // Whoever is asked to end meanwhile does not wait for it.
    this.addresses.catch(() => undefined);
    for (let n = 0; n < options.count; n++) this.#start();
  }

  /** All are told that the server is ready as a whole, and so is whoever comes later. */
  ready(): void {
    this.#ready = true;
    for (const worker of this.#living()) tell(worker, { kind: 'ready' });
  }

  leave(): void {
    this.#leaving = true;
    for (const timer of this.#timers) clearTimeout(timer);
    for (const worker of this.#living()) tell(worker, { kind: 'leave' });
  }

  /** Resolves when all are gone. */
  async close(): Promise<void> {
    this.leave();
    const living = this.#living();
    const gone = living.map((worker) => new Promise((resolve) => worker.once('exit', resolve)));
    for (const worker of living) tell(worker, { kind: 'close' });
    const late = setTimeout(() => {
      for (const worker of this.#living()) worker.process.kill('SIGKILL');
    }, CLOSE_MS);
    await Promise.all(gone);
    clearTimeout(late);
  }

  #living(): Worker[] {
    return Object.values(cluster.workers ?? {}).filter(
      (worker) => worker !== undefined && !worker.isDead(),
    ) as Worker[];
  }

  #start(): void {
    const startedAt = performance.now();
    let worker: Worker;
    try {
      worker = cluster.fork();
    } catch (error) {
      this.#lose(undefined, { startedAt, cause: (error as Error).message });
      return;
    }
    worker.on('message', (message: FromWorker) => this.#hear(worker, message));
    worker.on('error', (error) => {
      // Of one that has begun it is about a message, sent when it had just died; its end is what we act on.
      if (worker.process.pid !== undefined) return;
      delete cluster.workers?.[worker.id];
      this.#lose(worker, { startedAt, cause: error.message });
    });
    worker.on('exit', (code, signal) => this.#lose(worker, { startedAt, cause: signal ?? `code ${code}` }));
  }

  /** Undefined: it could not even be tried to begin one. */
  #lose(worker: Worker | undefined, { startedAt, cause }: { startedAt: number; cause: string }): void {
    const complaint = worker && this.#complaints.get(worker);
    if (worker !== undefined) {
      this.#complaints.delete(worker);
      this.#listening.delete(worker);
    }
    if (this.#leaving) return;
    if (!this.#complete) {
      this.#failed(new CommandFailure(complaint ?? `A worker ended before the server was ready (${cause}).`));
      return;
    }
    this.#quickDeaths = performance.now() - startedAt < SETTLED_MS ? this.#quickDeaths + 1 : 0;
    const pause = Math.min(REPLACE_MS_MAX, REPLACE_MS * 2 ** this.#quickDeaths);
    this.#lost += 1;
    this.#options.observe({ event: 'worker.lost', pid: worker?.process.pid ?? 0, cause: complaint ?? cause });
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      this.#start();
    }, pause);
    this.#timers.add(timer);
  }

  #hear(worker: Worker, message: FromWorker): void {
    if (message.kind === 'hello') tell(worker, { kind: 'start', orders: this.#options.orders });
    else if (message.kind === 'waiting') this.#options.onWaiting(message.what);
    else if (message.kind === 'listening') this.#listen(worker, message);
    else if (message.kind === 'failed') this.#complaints.set(worker, message.message);
    else if (message.kind === 'ask') this.#ask(worker, message.id);
    else this.#answer(worker, message);
  }

  #listen(worker: Worker, { address, metricsAddress }: Addresses): void {
    this.#listening.add(worker);
    if (this.#ready) tell(worker, { kind: 'ready' });
    if (this.#listening.size < this.#options.count) return;
    this.#complete = true;
    this.#begun({ address, metricsAddress });
  }

  #ask(asking: Worker, id: string): void {
    const from = new Set([...this.#listening].map((worker) => worker.id));
    const late = setTimeout(() => this.#answered(id), ANSWER_MS);
    this.#questions.set(id, { asking, answers: new Map(), from, late });
    for (const worker of this.#listening) tell(worker, { kind: 'question', id });
  }

  #answer(worker: Worker, { id, answer }: Extract<FromWorker, { kind: 'answer' }>): void {
    const question = this.#questions.get(id);
    if (question === undefined || !question.from.has(worker.id)) return;
    question.answers.set(worker.id, answer);
    if (question.answers.size === question.from.size) this.#answered(id);
  }

  #answered(id: string): void {
    const question = this.#questions.get(id);
    if (question === undefined) return;
    clearTimeout(question.late);
    this.#questions.delete(id);
    tell(question.asking, { kind: 'answers', id, answers: [...question.answers.values(), [workersLost(this.#lost)]] });
  }
}

function tell(worker: Worker, message: ToWorker): void {
  if (worker.isConnected()) worker.send(message);
}
