// Cancellation: the signal of a request, and the one way to listen to any signal.
//
// A request has a signal of its own class and not an AbortSignal: creating an AbortController and listening to it a few times
// costs 5 to 7 µs (Node 20, where a whole get takes about 130), this class 0.4. The shape is the same, so that code which
// only checks or listens takes either. Node's own interfaces get a real AbortSignal.

import type { Fault } from '../faults.ts';

/** The part of AbortSignal that waiting code needs. */
export interface Signal {
  readonly aborted: boolean;
  readonly reason: Error | undefined;
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

export class RequestSignal implements Signal {
  #reason: Fault | undefined;
  readonly #listeners: (() => void)[] = [];

  get aborted(): boolean {
    return this.#reason !== undefined;
  }

  /** The fault that the reply carries. Undefined until the request is cancelled. */
  get reason(): Fault | undefined {
    return this.#reason;
  }

  throwIfAborted(): void {
    if (this.#reason !== undefined) throw this.#reason;
  }

  /** Only the first call counts. Listeners run in the order in which they were added. */
  abort(reason: Fault): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    for (let listener = this.#listeners.shift(); listener !== undefined; listener = this.#listeners.shift()) listener();
  }

  addEventListener(_type: 'abort', listener: () => void): void {
    if (this.#reason === undefined) this.#listeners.push(listener);
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    const index = this.#listeners.lastIndexOf(listener);
    if (index !== -1) this.#listeners.splice(index, 1);
  }
}

/** A request, or a part of it that may end before the request does. */
export interface Cancellable {
  readonly signal: RequestSignal;
  /** Of a request (request-scope). */
  readonly heavy?: boolean;
  readonly heldBytes?: number;
}

/** For work on behalf of several requests: it is cancelled when all of them are. `release` must be called when it has ended. */
export function cancelledWithAll(signals: readonly RequestSignal[]): Cancellable & { readonly release: () => void } {
  const signal = new RequestSignal();
  let left = signals.length;
  const leave = (reason: Error) => {
    left -= 1;
    if (left === 0) signal.abort(reason as Fault);
  };
  const releases = signals.map((each) => onAbort(each, leave));
  for (const { aborted, reason } of signals) if (aborted) leave(reason as Fault);
  const release = () => {
    for (const each of releases) each();
  };
  return { signal, release };
}

const NOTHING = () => undefined;

/**
 * Calls `listener` once when the signal aborts, and returns how to unsubscribe. A signal that has aborted already calls
 * nothing: check `aborted` before waiting.
 */
export function onAbort(signal: Signal | undefined, listener: (reason: Error) => void): () => void {
  if (signal === undefined) return NOTHING;
  const call = () => {
    unsubscribe();
    listener(signal.reason as Error);
  };
  const unsubscribe = () => signal.removeEventListener('abort', call);
  signal.addEventListener('abort', call);
  return unsubscribe;
}
