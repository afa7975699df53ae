// The workers of `serve --workers N`, seen from the primary process: it starts them, replaces those that die, collects
// their figures for /metrics, and stops them. The primary process handles signals, the embedded database and the console;
// it serves no requests. The messages between the processes are defined here too.

import cluster, { type Worker } from 'node:cluster';
import type pg from 'pg';
import type { Observe } from '../events/events.ts';
import { workersLost } from '../monitoring/figures.ts';
import { CommandFailure } from './failure.ts';

/** Sent to workers in a message: other accounts of the machine can read the arguments of a process. */
export interface Secrets {
  readonly connection: pg.ClientConfig;
  readonly operatorKey: string;
}

export interface Addresses {
  /** `http://HOST:PORT`. */
  readonly address: string;
  /** Address of the metrics port, if there is one. */
  readonly metricsAddress: string | undefined;
}

export type ToWorker =
  | { readonly kind: 'start'; readonly secrets: Secrets }
  | { readonly kind: 'leave' | 'close' }
  /** Asks for the worker's figures. */
  | { readonly kind: 'read'; readonly id: string }
  /** The figures of all workers. */
  | { readonly kind: 'collected'; readonly id: string; readonly all: readonly unknown[] };

export type FromWorker =
  | { readonly kind: 'hello' }
  | { readonly kind: 'waiting'; readonly reason: string }
  | ({ readonly kind: 'listening' } & Addresses)
  /** A sentence for the operator, or the stack of an unexpected error. */
  | { readonly kind: 'failed'; readonly message: string }
  /** Asks for the figures of all workers. */
  | { readonly kind: 'collect'; readonly id: string }
  | { readonly kind: 'figures'; readonly id: string; readonly figures: unknown };

/** A worker that ran this long is replaced without delay: its replacement will not die at once. */
const SETTLED_MS = 10_000;
const REPLACE_MS = 100;
const REPLACE_MS_MAX = 10_000;
/** Workers that have not sent their figures by then are left out. */
const COLLECT_MS = 1_000;
/** Longer than a server takes to stop (cli/start-server). */
const CLOSE_MS = 28_000;

interface Collection {
  readonly requester: Worker;
  readonly figures: Map<number, unknown>;
  readonly expected: ReadonlySet<number>;
  readonly timer: NodeJS.Timeout;
}

interface WorkersOptions {
  readonly count: number;
  readonly secrets: Secrets;
  readonly observe: Observe;
  /** Called repeatedly with the reason while the start of a worker waits. */
  readonly onWaiting: (reason: string) => void;
}

export class Workers {
  readonly #options: WorkersOptions;
  readonly #listening = new Set<Worker>();
  readonly #collections = new Map<string, Collection>();
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly #failures = new Map<Worker, string>();
  /** Resolves when all workers listen; rejects when one cannot. */
  readonly addresses: Promise<Addresses>;
  #resolveAddresses: (addresses: Addresses) => void = () => undefined;
  #rejectAddresses: (error: Error) => void = () => undefined;
  /** All workers have listened once: from then on a worker that dies is replaced. */
  #complete = false;
  #leaving = false;
  #quickDeaths = 0;
  #lost = 0;

  constructor(options: WorkersOptions) {
    this.#options = options;
    this.addresses = new Promise((resolve, reject) => {
      this.#resolveAddresses = resolve;
      this.#rejectAddresses = reject;
    });
    // A start that is told to stop does not await the addresses.
    this.addresses.catch(() => undefined);
    for (let n = 0; n < options.count; n++) this.#start();
  }

  leave(): void {
    this.#leaving = true;
    for (const timer of this.#timers) clearTimeout(timer);
    for (const worker of this.#living()) send(worker, { kind: 'leave' });
  }

  /** Resolves when all workers have exited. */
  async close(): Promise<void> {
    this.leave();
    const living = this.#living();
    const exits = living.map((worker) => new Promise((resolve) => worker.once('exit', resolve)));
    for (const worker of living) send(worker, { kind: 'close' });
    const timer = setTimeout(() => {
      for (const worker of this.#living()) worker.process.kill('SIGKILL');
    }, CLOSE_MS);
    await Promise.all(exits);
    clearTimeout(timer);
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
    worker.on('message', (message: FromWorker) => this.#receive(worker, message));
    worker.on('error', (error) => {
      // For a worker that did start, this is a message that could not be sent to it: its exit is handled below.
      if (worker.process.pid !== undefined) return;
      delete cluster.workers?.[worker.id];
      this.#lose(worker, { startedAt, cause: error.message });
    });
    worker.on('exit', (code, signal) => this.#lose(worker, { startedAt, cause: signal ?? `code ${code}` }));
  }

  /** `worker` is undefined if the fork itself failed. */
  #lose(worker: Worker | undefined, { startedAt, cause }: { startedAt: number; cause: string }): void {
    const failure = worker && this.#failures.get(worker);
    if (worker !== undefined) {
      this.#failures.delete(worker);
      this.#listening.delete(worker);
    }
    if (this.#leaving) return;
    if (!this.#complete) {
      this.#rejectAddresses(new CommandFailure(failure ?? `A worker ended before the server was ready (${cause}).`));
      return;
    }
    this.#quickDeaths = performance.now() - startedAt < SETTLED_MS ? this.#quickDeaths + 1 : 0;
    const pause = Math.min(REPLACE_MS_MAX, REPLACE_MS * 2 ** this.#quickDeaths);
    this.#lost += 1;
    this.#options.observe({ event: 'worker.lost', pid: worker?.process.pid ?? 0, cause: failure ?? cause });
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      this.#start();
    }, pause);
    this.#timers.add(timer);
  }

  #receive(worker: Worker, message: FromWorker): void {
    if (message.kind === 'hello') send(worker, { kind: 'start', secrets: this.#options.secrets });
    else if (message.kind === 'waiting') this.#options.onWaiting(message.reason);
    else if (message.kind === 'listening') this.#addListening(worker, message);
    else if (message.kind === 'failed') this.#failures.set(worker, message.message);
    else if (message.kind === 'collect') this.#collect(worker, message.id);
    else this.#addFigures(worker, message);
  }

  #addListening(worker: Worker, { address, metricsAddress }: Addresses): void {
    this.#listening.add(worker);
    if (this.#listening.size < this.#options.count) return;
    this.#complete = true;
    this.#resolveAddresses({ address, metricsAddress });
  }

  #collect(requester: Worker, id: string): void {
    const expected = new Set([...this.#listening].map((worker) => worker.id));
    const timer = setTimeout(() => this.#sendCollected(id), COLLECT_MS);
    this.#collections.set(id, { requester, figures: new Map(), expected, timer });
    for (const worker of this.#listening) send(worker, { kind: 'read', id });
  }

  #addFigures(worker: Worker, { id, figures }: Extract<FromWorker, { kind: 'figures' }>): void {
    const collection = this.#collections.get(id);
    if (collection === undefined || !collection.expected.has(worker.id)) return;
    collection.figures.set(worker.id, figures);
    if (collection.figures.size === collection.expected.size) this.#sendCollected(id);
  }

  #sendCollected(id: string): void {
    const collection = this.#collections.get(id);
    if (collection === undefined) return;
    clearTimeout(collection.timer);
    this.#collections.delete(id);
    const all = [...collection.figures.values(), [workersLost(this.#lost)]];
    send(collection.requester, { kind: 'collected', id, all });
  }
}

function send(worker: Worker, message: ToWorker): void {
  if (worker.isConnected()) worker.send(message);
}
