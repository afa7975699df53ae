// Joining: operations of one kind on one table that arrive while a statement of theirs is under way travel in the next
// statement together. No operation waits for company: with nothing under way it goes at once, or at the end of the turn of the
// event loop. A joint statement only succeeds or leaves its members as they were; whatever it cannot serve goes alone
// afterwards, so that every refusal is made and explained in one place.

import type { RequestScope } from '../../request/request-scope.ts';
import { onAbort } from '../../request/signal.ts';

/** An operation that may travel with others. Its request can be cancelled without disturbing them. */
export interface Member {
  readonly scope: RequestScope;
}

export interface JoiningOptions<M extends Member, R> {
  /** Statements at once, before others wait for them. */
  readonly underWayMax: number;
  readonly alone: (member: M) => Promise<R>;
  /**
   * The results in the order of the members; undefined for a member that has to go alone, which is certain not to have
   * changed anything. A rejection is the result of all of them.
   */
  readonly together: (members: readonly M[]) => Promise<readonly (R | undefined)[]>;
  /**
   * Operations of one turn of the event loop go together, at its end. Requests arrive several in a turn, and so do the upserts
   * whose lookup was joint: without this the first of them went alone and the others waited for it. Creates at 32 connections
   * took 0.25 commits for a request instead of 0.62. Reads need it less: a lane sends those of one turn in one write. A request
   * that is alone pays next to nothing: with one connection the end of the turn comes 1 µs later (a bare server, p50 of 10,000
   * requests each way, alternating).
   */
  readonly collectsTurn?: boolean;
  /** Members with the same key do not fit into one statement. */
  readonly keyOf?: (member: M) => string;
}

interface Waiting<M, R> {
  readonly member: M;
  readonly resolve: (result: R | PromiseLike<R>) => void;
  readonly reject: (error: unknown) => void;
  readonly unsubscribe: () => void;
}

/** Bounds the size of a joint statement, and how long the first members wait for the last. */
const TOGETHER_MAX = 64;
/** A statement that takes longer, such as one that waits for a lock, holds up the next one no further. */
const HELD_MS = 50;

export class Joining<M extends Member, R> {
  readonly #options: JoiningOptions<M, R>;
  #waiting: Waiting<M, R>[] = [];
  #underWay = 0;
  #timer: NodeJS.Timeout | undefined;
  #departure: NodeJS.Immediate | undefined;

  constructor(options: JoiningOptions<M, R>) {
    this.#options = options;
  }

  run(member: M): Promise<R> {
    const mayGo = this.#underWay < this.#options.underWayMax;
    if (mayGo && !this.#options.collectsTurn && this.#waiting.length === 0) return this.#goAlone(member);
    return new Promise((resolve, reject) => {
      const { signal } = member.scope;
      if (signal.aborted) {
        reject(signal.reason);
        return;
      }
      this.#waiting.push({ member, resolve, reject, unsubscribe: onAbort(signal, reject) });
      if (mayGo) this.#departure ??= setImmediate(this.#depart);
      else this.#timer ??= setTimeout(() => this.#holdNoLonger(), HELD_MS);
    });
  }

  readonly #depart = (): void => {
    this.#departure = undefined;
    this.#goOn();
  };

  #goAlone(member: M): Promise<R> {
    this.#underWay += 1;
    const result = this.#options.alone(member);
    result.then(this.#ended, this.#ended);
    return result;
  }

  readonly #ended = (): void => {
    this.#underWay -= 1;
    this.#goOn();
  };

  #goOn(): void {
    while (this.#underWay < this.#options.underWayMax && this.#waiting.length > 0) this.#goTogether(this.#take());
  }

  #holdNoLonger(): void {
    this.#timer = undefined;
    if (this.#waiting.length === 0) return;
    this.#goTogether(this.#take());
    if (this.#waiting.length > 0) this.#timer ??= setTimeout(() => this.#holdNoLonger(), HELD_MS);
  }

  /** The next members in the order of their arrival, without those whose requests have been cancelled. */
  #take(): Waiting<M, R>[] {
    const { keyOf } = this.#options;
    const taken: Waiting<M, R>[] = [];
    const left: Waiting<M, R>[] = [];
    const keys = new Set<string>();
    for (const waiting of this.#waiting) {
      const { member } = waiting;
      if (member.scope.signal.aborted) continue;
      const key = keyOf?.(member);
      if (taken.length === TOGETHER_MAX || (key !== undefined && keys.has(key))) {
        left.push(waiting);
        continue;
      }
      if (key !== undefined) keys.add(key);
      taken.push(waiting);
    }
    this.#waiting = left;
    return taken;
  }

  #goTogether(taken: readonly Waiting<M, R>[]): void {
    const [only, ...others] = taken;
    if (only === undefined) return;
    if (others.length === 0) {
      only.unsubscribe();
      only.resolve(this.#goAlone(only.member));
      return;
    }
    this.#underWay += 1;
    this.#options.together(taken.map(({ member }) => member)).then(
      (results) => {
        for (const [index, waiting] of taken.entries()) this.#settle(waiting, results[index]);
        this.#ended();
      },
      (error) => {
        for (const { unsubscribe, reject } of taken) {
          unsubscribe();
          reject(error);
        }
        this.#ended();
      },
    );
  }

  #settle({ member, resolve, unsubscribe }: Waiting<M, R>, result: R | undefined): void {
    unsubscribe();
    if (result !== undefined) resolve(result);
    // Beside what is under way: the next members do not wait for it.
    else if (!member.scope.signal.aborted) resolve(this.#options.alone(member));
  }
}
