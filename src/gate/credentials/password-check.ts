// Verifies passwords against argon2id hashes and hashes new ones. Both cost tens of milliseconds on purpose and share one
// queue: a bounded number run at once, since each takes 19 MiB and a thread that files need too. A verified password is
// remembered for a while under a digest with a key that lives in this process only; a changed password has another hash, so
// its former entry never matches.

import { hash as digestOf, randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { hash as argon2Hash, verify as argon2Verify } from '@node-rs/argon2';
import { tooBusy } from '../../faults.ts';
import { BoundedMap } from '../../load/bounded-map.ts';
import { FairQueue } from '../../load/fair-queue.ts';
import type { OtherTenants } from '../../load/slices.ts';
import { onAbort, type Signal } from '../../request/signal.ts';

const MEMORY_MS = 10 * 60_000;
const REMEMBERED_MAX = 10_000;
/**
 * Leaves one core for other work, and one of the four threads for files. With four at once on two cores, a hundred
 * concurrent wrong passwords raised another application's p99 to 24 to 44 ms; with one it is 8 to 26 ms, at 58 passwords a
 * second instead of 72.
 */
const AT_ONCE_MAX = Math.max(1, Math.min(3, availableParallelism() - 1));
/**
 * Beside others a pause as long as the check follows each one, so that the passwords of a tenant use half of a core. Without it, a
 * flood of them keeps one of two cores busy all the time, and the others' requests never find both free.
 */
const PAUSE_TIMES = 1;
/** A tenant's pauses begin when this much of them is due: six people may sign in at the same moment. */
const AHEAD_MS = 250;
/** A tenant beyond this number begins anew. */
const PACED_MAX = 1_000;
/** A few seconds of work; requests beyond it are refused as busy. One tenant cannot fill the queue of the others. */
const WAITING = { eachMax: 100, allMax: 400 };

/** The slow hash. */
export interface Argon2 {
  readonly hash: (password: string) => Promise<string>;
  readonly verify: (hash: string, password: string) => Promise<boolean>;
}

export const ARGON2: Argon2 = { hash: (password) => argon2Hash(password), verify: argon2Verify };

interface Waiter {
  /** The tenant in the fair queue, as at admission. */
  readonly tenant: string;
  readonly signal?: Signal;
}

export interface PasswordAttempt extends Waiter {
  readonly account: string;
  readonly hash: string | undefined;
  readonly password: string;
}

export interface PasswordCheckOptions {
  readonly atOnceMax?: number;
  readonly others?: Pick<OtherTenants, 'isBesideOthers'>;
}

export class PasswordCheck {
  /** All of one length. */
  readonly #key = randomBytes(32).toString('hex');
  readonly #verified = new BoundedMap<string, number>(REMEMBERED_MAX);
  readonly #waiting = new FairQueue<() => void>(WAITING);
  #running = 0;
  /** What a check takes of a processor: on a busy machine it takes longer, but no more of it. */
  #shortestMs = Number.POSITIVE_INFINITY;
  /** Hashed at the start, so that the first request for an unknown user takes no longer than others. */
  readonly #decoy: Promise<string>;
  readonly #argon2: Argon2;
  readonly #atOnceMax: number;
  readonly #others: Pick<OtherTenants, 'isBesideOthers'>;
  /** By tenant: when all its checks and the pauses after them would be over, had none overlapped. */
  readonly #paidAt = new BoundedMap<string, number>(PACED_MAX);
  /** Each has a timer. */
  readonly #pausing = new Set<string>();
  readonly #mayGo = (tenant: string): boolean => !this.#pausing.has(tenant);

  constructor(
    argon2: Argon2,
    { atOnceMax = AT_ONCE_MAX, others = { isBesideOthers: () => false } }: PasswordCheckOptions = {},
  ) {
    this.#argon2 = {
      hash: (password) => this.#measured(argon2.hash(password)),
      verify: (hash, password) => this.#measured(argon2.verify(hash, password)),
    };
    this.#atOnceMax = atOnceMax;
    this.#others = others;
    this.#decoy = this.#argon2.hash(randomBytes(16).toString('hex'));
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
      // Of many concurrent requests only the first pays for the hash.
      if (this.remembers(account, hash, password)) return true;
      if (!(await this.#argon2.verify(hash, password))) return false;
      this.#remember(this.#mark(account, hash, password));
      return true;
    });
  }

  /** Hashes a new password. */
  hash({ password, ...waiter }: Waiter & { readonly password: string }): Promise<string> {
    return this.#inQueue(waiter, () => this.#argon2.hash(password));
  }

  /** Whether this password was verified recently. */
  remembers(account: string, hash: string, password: string): boolean {
    const until = this.#verified.get(this.#mark(account, hash, password));
    return until !== undefined && until > performance.now();
  }

  /**
   * Neither an account key nor a hash contains U+0000, so different inputs cannot produce the same text. Nobody is shown a
   * mark, so none can be extended, and the key need only come first: an HMAC takes four times as long, for every request.
   */
  #mark(account: string, hash: string, password: string): string {
    return digestOf('sha256', `${this.#key}${account}\0${hash}\0${password}`, 'base64');
  }

  #remember(mark: string): void {
    this.#verified.set(mark, performance.now() + MEMORY_MS);
  }

  async #inQueue<T>(waiter: Waiter, work: () => Promise<T>): Promise<T> {
    const { tenant } = waiter;
    if (this.#running < this.#atOnceMax && this.#mayGo(tenant)) this.#running += 1;
    else await this.#waitInLine(waiter);
    const from = performance.now();
    try {
      return await work();
    } finally {
      this.#running -= 1;
      if (this.#others.isBesideOthers(tenant)) this.#charge(tenant, from);
      this.#goOn();
    }
  }

  async #measured<T>(checking: Promise<T>): Promise<T> {
    const from = performance.now();
    const result = await checking;
    this.#shortestMs = Math.min(this.#shortestMs, performance.now() - from);
    return result;
  }

  #charge(tenant: string, from: number): void {
    const costMs = Math.min(performance.now() - from, this.#shortestMs);
    const paidAt = Math.max(from, this.#paidAt.get(tenant) ?? 0) + (1 + PAUSE_TIMES) * costMs;
    this.#paidAt.set(tenant, paidAt);
    if (!this.#pausing.has(tenant)) this.#pauseWhileAhead(tenant);
  }

  /** Passwords that are being checked when the pause begins make it longer. */
  #pauseWhileAhead(tenant: string): void {
    const pauseMs = (this.#paidAt.get(tenant) ?? 0) - performance.now() - AHEAD_MS;
    if (pauseMs > 0) {
      this.#pausing.add(tenant);
      setTimeout(() => this.#pauseWhileAhead(tenant), pauseMs);
    } else if (this.#pausing.delete(tenant)) this.#goOn();
  }

  /** The next in line get their slots here, so that no new request can overtake them. */
  #goOn(): void {
    while (this.#running < this.#atOnceMax) {
      const next = this.#waiting.next(this.#mayGo);
      if (next === undefined) return;
      this.#running += 1;
      next();
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
