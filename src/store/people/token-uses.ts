// When tokens were last used: recorded in memory by requests and written by a job, so that no request waits for it.

import type { Database } from '../database/database.ts';
import { StaleDefinition } from '../database/database-errors.ts';
import { setLastUses } from './tokens.ts';

/**
 * A use is recorded only when the last recorded use of the token is older than this. Every token costs a write to its own
 * application: with a minute, 10,000 applications in use took a connection of the database all the time.
 */
export const USE_RECORDED_MS = 15 * 60_000;
/** Uses beyond this number are not recorded until the next write. */
const RECORDED_MAX = 20_000;

export class TokenUses {
  #recorded = new Map<string, Map<string, number>>();
  #count = 0;

  record(applicationId: string, tokenId: string, at: number): void {
    if (this.#count >= RECORDED_MAX) return;
    let tokens = this.#recorded.get(applicationId);
    if (tokens === undefined) {
      tokens = new Map();
      this.#recorded.set(applicationId, tokens);
    }
    if (!tokens.has(tokenId)) this.#count += 1;
    tokens.set(tokenId, at);
  }

  /** A use that cannot be written is dropped; the next use of the token is recorded later. */
  async write(database: Database): Promise<void> {
    const recorded = this.#recorded;
    this.#recorded = new Map();
    this.#count = 0;
    const failures: unknown[] = [];
    for (const [applicationId, tokens] of recorded) {
      const uses = [...tokens].map(([tokenId, at]) => ({ tokenId, at: new Date(at).toISOString() }));
      await setLastUses(database.application(applicationId), uses).catch((error: unknown) => failures.push(error));
    }
    const failure = failures.find((error) => !(error instanceof StaleDefinition));
    if (failure !== undefined) throw failure;
  }
}
