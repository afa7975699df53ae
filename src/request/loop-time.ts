// How much time on the event loop each application has used lately. Only what is heavy is measured (request/slices.ts): an ordinary
// request takes a fraction of a millisecond, and is counted by gate/admission.

/** Half of what was used is forgotten after so long. */
const HALF_LIFE_MS = 1_000;
/** Below this an application is as good as one that used nothing. */
const FORGOTTEN_MS = 0.1;
/** More applications than these at once would have used next to nothing each. */
const ACCOUNTS_MAX = 1_000;
/** Who has waited longer comes nearer to its turn with every millisecond, so that nobody is passed over for good. */
const PATIENT_MS = 100;
/** About a sixth of the event loop, used all the time. */
const HEAVY_MS = 250;

interface Account {
  usedMs: number;
  /** When that was so. */
  at: number;
}

export class LoopTime {
  readonly #accounts = new Map<string, Account>();
  readonly #now: () => number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  charge(share: string, milliseconds: number): void {
    const at = this.#now();
    const account = this.#accounts.get(share);
    if (account !== undefined) {
      account.usedMs = decayed(account, at) + milliseconds;
      account.at = at;
      return;
    }
    if (this.#accounts.size >= ACCOUNTS_MAX) this.#forget(at);
    this.#accounts.set(share, { usedMs: milliseconds, at });
  }

  usedMs(share: string): number {
    const account = this.#accounts.get(share);
    return account === undefined ? 0 : decayed(account, this.#now());
  }

  /** By which turns are given: the application with the least is next. */
  cost(share: string, waitingSince: number): number {
    return this.usedMs(share) - Math.max(0, this.#now() - waitingSince - PATIENT_MS);
  }

  /** `besidesMs`: that it has used and that was not charged. */
  isHeavy(share: string, besidesMs = 0): boolean {
    return this.usedMs(share) + besidesMs >= HEAVY_MS;
  }

  /** Those who used next to nothing, or else the one that was charged first. */
  #forget(at: number): void {
    for (const [share, account] of this.#accounts)
      if (decayed(account, at) < FORGOTTEN_MS) this.#accounts.delete(share);
    if (this.#accounts.size < ACCOUNTS_MAX) return;
    const [first] = this.#accounts.keys();
    if (first !== undefined) this.#accounts.delete(first);
  }
}

const decayed = ({ usedMs, at }: Account, now: number): number => usedMs * 2 ** ((at - now) / HALF_LIFE_MS);

/** How long it is looked at before it is said how busy the event loop is. */
const LOOK_MS = 50;
const FULL = 0.9;

/** Whether the event loop has had hardly any rest lately. */
export class LoopLoad {
  #from = performance.eventLoopUtilization();
  #nextLookAt = 0;
  #full = false;

  isFull(): boolean {
    const now = performance.now();
    if (now < this.#nextLookAt) return this.#full;
    this.#nextLookAt = now + LOOK_MS;
    const to = performance.eventLoopUtilization();
    this.#full = performance.eventLoopUtilization(to, this.#from).utilization > FULL;
    this.#from = to;
    return this.#full;
  }
}
