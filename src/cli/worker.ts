// One of the processes of `serve --workers N`, as it sees the first (cli/workers).

import { randomUUID } from 'node:crypto';
import type { Peers } from '../monitoring/metrics.ts';
import type { FromWorker, Orders, ToWorker } from './workers.ts';

/** Longer than the first process waits for answers. */
const ANSWERS_MS = 2_000;

export class WorkerChannel implements Peers {
  readonly orders: Promise<Orders>;
  onReady: () => void = () => undefined;
  onLeave: () => void = () => undefined;
  onClose: () => void = () => undefined;
  #start: (orders: Orders) => void = () => undefined;
  #answer: () => Promise<unknown> = () => Promise.resolve(undefined);
  readonly #asked = new Map<string, (answers: readonly unknown[]) => void>();

  constructor() {
    this.orders = new Promise((resolve) => {
      this.#start = resolve;
    });
    process.on('message', (message: ToWorker) => this.#hear(message));
    // What ends the server is the first process's to say: a terminal tells all processes.
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => undefined);
    this.tell({ kind: 'hello' });
  }

  answerWith(answer: () => Promise<unknown>): void {
    this.#answer = answer;
  }

  ask(): Promise<readonly unknown[]> {
    const id = randomUUID();
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => {
        this.#asked.delete(id);
        reject(new Error('the other workers could not be asked'));
      }, ANSWERS_MS);
      this.#asked.set(id, (answers) => {
        clearTimeout(late);
        this.#asked.delete(id);
        resolve(answers);
      });
      this.tell({ kind: 'ask', id });
    });
  }

  tell(message: FromWorker): void {
    // Without the first process this one is about to end (Node ends a worker whose channel is gone).
    if (process.connected) process.send?.(message);
  }

  #hear(message: ToWorker): void {
    if (message.kind === 'start') this.#start(message.orders);
    else if (message.kind === 'answers') this.#asked.get(message.id)?.(message.answers);
    else if (message.kind === 'question') void this.#reply(message.id);
    else if (message.kind === 'ready') this.onReady();
    else if (message.kind === 'leave') this.onLeave();
    else this.onClose();
  }

  async #reply(id: string): Promise<void> {
    // Whoever does not answer is left out.
    const answer = await this.#answer().catch(() => undefined);
    if (answer !== undefined) this.tell({ kind: 'answer', id, answer });
  }
}
