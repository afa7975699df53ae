// Passwords and their argon2id hashes: whether one fits, and that of a new one. Both cost tens of milliseconds on purpose, and
// take turns in one queue: a bounded number run at once, since each takes 19 MiB and a thread that files need too. What was
// verified is remembered for a while under an HMAC whose key lives in this process only; a changed password has another hash
// and is never found there.

import { createHmac, createSecretKey, randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { hash as argon2Hash, verify as argon2Verify } from '@node-rs/argon2';
import { tooBusy } from '../../faults.ts';
import { BoundedMap } from '../../request/bounded-map.ts';
import { FairQueue } from '../../request/fair-queue.ts';
import { onAbort, type Signal } from '../../request/signal.ts';

const MEMORY_MS = 10 * 60_000;
const REMEMBERED_MAX = 10_000;
/**
 * One core is left for all else, and one of the four threads for files. With four at once on two cores, a hundred wrong passwords at a
 * time made another application's p99 24 to 44 ms; with one it is 8 to 26, and 58 passwords a second are checked instead of 72.
 */
const AT_ONCE_MAX = Math.max(1, Math.min(3, availableParallelism() - 1));
/** A few seconds of work; requests beyond it are refused as busy. One tenant cannot fill the queue of the others. */
const WAITING = { eachMax: 100, allMax: 400 };

/** The slow hash. */
export interface Argon2 {
  readonly hash: (password: string) => Promise<string>;
  readonly verify: (hash: string, password: string) => Promise<boolean>;
}

export const ARGON2: Argon2 = { hash: (password) => argon2Hash(password), verify: argon2Verify };

interface Waiter {
  /** Under which it waits for its turn, as at admission. */
  readonly tenant: string;
  readonly signal?: Signal;
}

export interface PasswordAttempt extends Waiter {
  readonly account: string;
  readonly hash: string | undefined;
  readonly password: string;
}

export class PasswordCheck {
  readonly #key = createSecretKey(randomBytes(32));
  readonly #verified = new BoundedMap<string, number>(REMEMBERED_MAX);
  readonly #waiting = new FairQueue<() => void>(WAITING);
  #running = 0;
  /** Made at the start: the first request for an unknown user must not take longer. */
  readonly #decoy: Promise<string>;
  readonly #argon2: Argon2;
  readonly #atOnceMax: number;

  constructor(argon2: Argon2, atOnceMax = AT_ONCE_MAX) {
    this.#argon2 = argon2;
    this.#atOnceMax = atOnceMax;
    this.#decoy = argon2.hash(randomBytes(16).toString('hex'));
  }

  /** Without a hash (no such user) a decoy is verified, so that the time reveals nothing. */
  async matches(presented: PasswordAttempt): Promise<boolean> {
    const { account, hash, password } = presented;
    if (hash === undefined) {
      const decoy = await this.#decoy;
      await this.#inQueue(presented, () => this.#argon2.verify(decoy, password));
      return false;
    }
    if (this.remembers(account, hash, password)) return true;
    return this.#inQueue(presented, async () => {
      // Of many requests sent at once only the first pays for the hash.
      if (this.remembers(account, hash, password)) return true;
      if (!(await this.#argon2.verify(hash, password))) return false;
      this.#remember(this.#mark(account, hash, password));
      return true;
    });
  }

  /** Of a new password. */
  hash({ password, ...waiter }: Waiter & { readonly password: string }): Promise<string> {
    return this.#inQueue(waiter, () => this.#argon2.hash(password));
  }

  /** Whether this was verified lately. */
  remembers(account: string, hash: string, password: string): boolean {
    const until = this.#verified.get(this.#mark(account, hash, password));
    return until !== undefined && until > performance.now();
  }

  /** Neither an account's name nor a hash holds U+0000, so that no two inputs run together. */
  #mark(account: string, hash: string, password: string): string {
    return createHmac('sha256', this.#key).update(`${account}\0${hash}\0${password}`).digest('base64');
  }

  #remember(mark: string): void {
    this.#verified.set(mark, performance.now() + MEMORY_MS);
  }

  async #inQueue<T>(waiter: Waiter, work: () => Promise<T>): Promise<T> {
    if (this.#running < this.#atOnceMax) this.#running += 1;
    else await this.#waitInLine(waiter);
    try {
      return await work();
    } finally {
      // Whose turn it is takes over the place, so that nobody can slip in between.
      const next = this.#waiting.next();
      if (next === undefined) this.#running -= 1;
      else next();
    }
  }

  #waitInLine({ tenant, signal }: Waiter): Promise<void> {
    return new Promise((resolve, reject) => {
      const go = () => {
        unsubscribe();
        resolve();
      };
      if (!this.#waiting.add(tenant, go)) {
        reject(tooBusy());
        return;
      }
      const unsubscribe = onAbort(signal, (reason) => {
        this.#waiting.remove(tenant, go);
        reject(reason);
      });
    });
  }
}
