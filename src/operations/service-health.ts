// How the push services are doing, as this server sees it: one that takes nothing gets few attempts at a time, so that
// it does not hold up what goes to the others.

/** So many in a row that were not taken. Where half of all fail by chance, that does not come about by chance. */
const FAILING_AFTER = 32;
/** At a time, of a service that fails: enough to notice when it is back. */
const ATTEMPTS_WHEN_FAILING = 4;
const TRACKED_MAX = 1_000;

interface Health {
  failures: number;
  underWay: number;
}

export class ServiceHealth {
  readonly #services = new Map<string, Health>();
  readonly #onFailing: (service: string, problem: string) => void;

  constructor(onFailing: (service: string, problem: string) => void) {
    this.#onFailing = onFailing;
  }

  isFailing(service: string): boolean {
    return (this.#services.get(service)?.failures ?? 0) >= FAILING_AFTER;
  }

  admits(service: string): boolean {
    return !this.isFailing(service) || (this.#services.get(service)?.underWay ?? 0) < ATTEMPTS_WHEN_FAILING;
  }

  begin(service: string): void {
    this.#track(service).underWay += 1;
  }

  /** `problem`: why it was not taken. */
  end(service: string, problem: string | undefined): void {
    const health = this.#track(service);
    health.underWay -= 1;
    health.failures = problem === undefined ? 0 : health.failures + 1;
    if (problem !== undefined && health.failures === FAILING_AFTER) this.#onFailing(service, problem);
    if (health.failures === 0 && health.underWay === 0) this.#services.delete(service);
  }

  #track(service: string): Health {
    let health = this.#services.get(service);
    if (health === undefined) {
      health = { failures: 0, underWay: 0 };
      if (this.#services.size >= TRACKED_MAX) this.#forgetIdle();
      this.#services.set(service, health);
    }
    return health;
  }

  #forgetIdle(): void {
    for (const [service, { underWay }] of this.#services) if (underWay === 0) this.#services.delete(service);
  }
}
