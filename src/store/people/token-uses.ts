// When tokens were last used: kept in memory as requests pass, and written by a job, so that no request waits for it.

import type { Database } from '../database/database.ts';
import { StaleDefinition } from '../database/sqlstate.ts';
import { setLastUses } from './tokens.ts';

/** How old what is noted of a token must be before it is noted anew. */
export const USE_RECORDED_MS = 60_000;
/** Beyond it uses go unnoted until the next writing. */
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

  /** What could not be written is noted again with the next use, a while later. */
  async write(database: Database): Promise<void> {
    const noted = this.#recorded;
    this.#recorded = new Map();
    this.#count = 0;
    const failures: unknown[] = [];
    for (const [applicationId, tokens] of noted) {
      const uses = [...tokens].map(([tokenId, at]) => ({ tokenId, at: new Date(at).toISOString() }));
      await setLastUses(database.application(applicationId), uses).catch((error: unknown) => failures.push(error));
    }
    const failure = failures.find((error) => !(error instanceof StaleDefinition));
    if (failure !== undefined) throw failure;
  }
}
