// Counts the requests to each application in memory, until a job writes them.

import { isoTime } from '../../domain/dates/iso-time.ts';
import { hourOf } from '../../domain/quota.ts';
import type { Observation } from '../../events/events.ts';
import { type Fault, refusalReason } from '../../faults.ts';
import type { Writer } from '../database/handles.ts';
import { addRequestCounts } from './request-counts.ts';

interface Counts {
  requests: number;
  refused: number;
  failed: number;
}

/**
 * A request that is told to come again soon, such as one for a thumbnail among many, is refused like one over a quota.
 * One whose client left, as browsers do when somebody scrolls past a picture, has no answer to judge.
 */
function outcomeOf(status: number, problem: Fault | undefined): 'refused' | 'failed' | undefined {
  const reason = problem && refusalReason(problem);
  if (status < 400 || reason === 'left') return undefined;
  return status < 500 || reason === 'busy' ? 'refused' : 'failed';
}

export class CountedRequests {
  /** By application. Only those that exist are counted, which bounds it. */
  #counts = new Map<string, Counts>();

  observe(observation: Observation): void {
    if (observation.event !== 'request') return;
    const tenant = observation.scope?.tenant;
    if (tenant === undefined || tenant === '') return;
    let counts = this.#counts.get(tenant);
    if (counts === undefined) {
      counts = { requests: 0, refused: 0, failed: 0 };
      this.#counts.set(tenant, counts);
    }
    counts.requests += 1;
    const outcome = outcomeOf(observation.status, observation.scope?.problem);
    if (outcome !== undefined) counts[outcome] += 1;
  }

  /** What cannot be written is written with the next requests. All of it counts for the hour of `now`. */
  async write(system: Writer, now: number): Promise<void> {
    const counts = this.#counts;
    if (counts.size === 0) return;
    this.#counts = new Map();
    try {
      await addRequestCounts(system, isoTime(hourOf(now)), counts);
    } catch (error) {
      this.#giveBack(counts);
      throw error;
    }
  }

  #giveBack(counts: ReadonlyMap<string, Counts>): void {
    for (const [tenant, { requests, refused, failed }] of counts) {
      const since = this.#counts.get(tenant) ?? { requests: 0, refused: 0, failed: 0 };
      this.#counts.set(tenant, {
        requests: since.requests + requests,
        refused: since.refused + refused,
        failed: since.failed + failed,
      });
    }
  }
}
