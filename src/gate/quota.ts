// How often an application is asked, by group of operations and clock hour (docs/operating.md, "Quotas").

import type { PreparedApplication } from '../domain/application.ts';
import type { Trip } from '../trip.ts';
import type { QuotaGroup } from '../wire/publish-document.ts';

export interface QuotaGate {
  /**
   * Counts the request and sets the trip's RateLimit headers, or throws 429. Undefined when nothing had to be waited for.
   * Where the plan has no such operations nothing is counted: `permit` refuses them.
   */
  take(trip: Trip, application: PreparedApplication, group: QuotaGroup): Promise<void> | undefined;
}
