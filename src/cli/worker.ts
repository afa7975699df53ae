// A worker's connection to the primary process of `serve --workers N` (cli/workers).

import { randomUUID } from 'node:crypto';
import type { Peers } from '../monitoring/metrics.ts';
import type { FromWorker, Secrets, ToWorker } from './workers.ts';

/** Longer than the primary process waits for the figures of all workers. */
const COLLECT_MS = 2_000;

export class WorkerChannel implements Peers {
  readonly secrets: Promise<Secrets>;
  onLeave: () => void = () => undefined;
  onClose: () => void = () => undefined;
  #start: (secrets: Secrets) => void = () => undefined;
  #readFigures: () => Promise<unknown> = () => Promise.resolve(undefined);
  readonly #collecting = new Map<string, (all: readonly unknown[]) => void>();

  constructor() {
    this.secrets = new Promise((resolve) => {
      this.#start = resolve;
    });
    process.on('message', (message: ToWorker) => this.#receive(message));
    // A terminal signals all processes, but only the primary process decides when the server stops.
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => undefined);
    this.send({ kind: 'hello' });
  }

  provideFigures(read: () => Promise<unknown>): void {
    this.#readFigures = read;
  }

  collectFigures(): Promise<readonly unknown[]> {
    const id = randomUUID();
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#collecting.delete(id);
        reject(new Error('the figures of the other workers could not be collected'));
      }, COLLECT_MS);
      this.#collecting.set(id, (all) => {
        clearTimeout(timer);
        this.#collecting.delete(id);
        resolve(all);
      });
      this.send({ kind: 'collect', id });
    });
  }

  send(message: FromWorker): void {
    // Node ends a worker whose channel is closed, so a worker without its primary process is about to end.
    if (process.connected) process.send?.(message);
  }

  #receive(message: ToWorker): void {
    if (message.kind === 'start') this.#start(message.secrets);
    else if (message.kind === 'collected') this.#collecting.get(message.id)?.(message.all);
    else if (message.kind === 'read') void this.#sendFigures(message.id);
    else if (message.kind === 'leave') this.onLeave();
    else this.onClose();
  }

  async #sendFigures(id: string): Promise<void> {
    // The primary process leaves out a worker that sends no figures.
    const figures = await this.#readFigures().catch(() => undefined);
    if (figures !== undefined) this.send({ kind: 'figures', id, figures });
  }
}
