// The worker of a page, from the page's side.

import { useEffect, useState } from 'react';
import { MovingFailure } from '../../../src/moving/failure.ts';
import { CartularyError, ConnectionError } from '../api/client.ts';
import type { Progress } from './rates.ts';
import type { Control, Failure, Told, WorkName, Works } from './work.ts';
import workerAddress from './worker/main.ts?worker&url';

export class MovingWorker {
  readonly #worker = new Worker(trusted(workerAddress), { type: 'module' });
  readonly #waiting = new Map<number, Waiting>();
  #ordered = 0;

  constructor() {
    this.#worker.addEventListener('message', ({ data }: MessageEvent<Told>) => this.#hear(data));
    this.#worker.addEventListener('error', ({ message }) => {
      for (const { fail } of this.#waiting.values()) fail(new Error(message));
      this.#waiting.clear();
    });
  }

  order<Name extends WorkName>(
    work: Name,
    given: Works[Name]['given'],
    onProgress: (progress: Progress) => void = () => undefined,
  ): Promise<Works[Name]['result']> {
    this.#ordered += 1;
    const id = this.#ordered;
    this.#worker.postMessage({ id, work, given });
    return new Promise((resolve, fail) => {
      this.#waiting.set(id, { settle: resolve as Waiting['settle'], fail, onProgress });
    });
  }

  control(control: Control['control']): void {
    this.#worker.postMessage({ control } satisfies Control);
  }

  end(): void {
    this.#worker.terminate();
  }

  #hear(told: Told): void {
    const waiting = this.#waiting.get(told.id);
    if (waiting === undefined) return;
    if ('progress' in told) {
      waiting.onProgress(told.progress);
      return;
    }
    this.#waiting.delete(told.id);
    if ('failure' in told) waiting.fail(errorOf(told.failure));
    else waiting.settle(told.result);
  }
}

interface Waiting {
  readonly settle: (result: Works[WorkName]['result']) => void;
  readonly fail: (error: Error) => void;
  readonly onProgress: (progress: Progress) => void;
}

function errorOf(failure: Failure): Error {
  if (failure.kind === 'moving') return new MovingFailure(failure.code, failure.params);
  if (failure.kind === 'unreachable') return new ConnectionError('The server cannot be reached.');
  return failure.kind === 'refused'
    ? new CartularyError({ ...failure, requestId: undefined })
    : new Error(failure.message);
}

interface ScriptPolicy {
  createScriptURL(address: string): string;
}

/** Only this one script may be run beside the page; the server's policy allows only this name. */
function trusted(address: string): string {
  const { trustedTypes } = globalThis as {
    readonly trustedTypes?: { createPolicy(name: string, rules: ScriptPolicy): ScriptPolicy };
  };
  policy ??= trustedTypes?.createPolicy('cartulary-worker', {
    createScriptURL: (given) => {
      if (given !== workerAddress) throw new TypeError('This script is not the worker.');
      return given;
    },
  });
  return policy?.createScriptURL(address) ?? address;
}
let policy: ScriptPolicy | undefined;

/** A worker for as long as the component is shown. */
export function useMovingWorker(): MovingWorker | undefined {
  const [worker, setWorker] = useState<MovingWorker>();
  useEffect(() => {
    const made = new MovingWorker();
    setWorker(made);
    return () => made.end();
  }, []);
  return worker;
}
