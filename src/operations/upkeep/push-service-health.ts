// The health of the push services as seen by this node. No service gets all delivery slots, and all failing services
// together get few, so that they do not hold up deliveries to the others.

/** Concurrent deliveries of one node. */
export const SLOTS = 16;
const SLOTS_OF_ONE = 8;
/** For all failing services together: enough to notice that one has recovered. */
const SLOTS_OF_FAILING = 4;
/** Failures in a row. A service that fails half of its requests at random practically never reaches 32. */
const FAILING_AFTER = 32;

interface Health {
  failures: number;
  underWay: number;
}

export type DeliveryPermit = 'admitted' | 'busy' | 'failing';

export class ServiceHealth {
  readonly #services = new Map<string, Health>();
  readonly #onFailing: (service: string, problem: string) => void;

  constructor(onFailing: (service: string, problem: string) => void) {
    this.#onFailing = onFailing;
  }

  isFailing(service: string): boolean {
    return (this.#services.get(service)?.failures ?? 0) >= FAILING_AFTER;
  }

  /** Whether another delivery may begin now. */
  admits(service: string): DeliveryPermit {
    if (this.isFailing(service)) return this.#failingUnderWay() < SLOTS_OF_FAILING ? 'admitted' : 'failing';
    return (this.#services.get(service)?.underWay ?? 0) < SLOTS_OF_ONE ? 'admitted' : 'busy';
  }

  begin(service: string): void {
    this.#track(service).underWay += 1;
  }

  /** `problem`: why the service did not accept the notification. */
  end(service: string, problem: string | undefined): void {
    const health = this.#track(service);
    health.underWay -= 1;
    health.failures = problem === undefined ? 0 : health.failures + 1;
    if (problem !== undefined && health.failures === FAILING_AFTER) this.#onFailing(service, problem);
    if (health.failures === 0 && health.underWay === 0) this.#services.delete(service);
  }

  #failingUnderWay(): number {
    let sum = 0;
    for (const { failures, underWay } of this.#services.values()) if (failures >= FAILING_AFTER) sum += underWay;
    return sum;
  }

  #track(service: string): Health {
    let health = this.#services.get(service);
    if (health === undefined) {
      health = { failures: 0, underWay: 0 };
      this.#services.set(service, health);
    }
    return health;
  }
}
