// The definitions that this node has at hand, prepared for use.

import { type PreparedApplication, prepareApplication } from '../../domain/definition/application.ts';
import { BoundedMap } from '../../request/bounded-map.ts';
import type { Database } from '../database/database.ts';
import { StaleDefinition } from '../database/sqlstate.ts';
import { FreshCache } from '../nodes/fresh-cache.ts';
import type { Invalidation } from '../nodes/messages.ts';
import { getApplication, listApplicationIds } from './applications.ts';
import { MIGRATIONS, migrateApplication } from './migrate.ts';

const DEFINITIONS_MAX = 2_000;
const MET_MAX = 100_000;

export class Definitions {
  readonly #cache: FreshCache<PreparedApplication | undefined>;
  readonly #database: Database;
  /** The latest preparation of each application: what did not change keeps its identity, and what hangs on it. */
  readonly #prepared = new BoundedMap<string, { mark: string; application: PreparedApplication }>(DEFINITIONS_MAX);

  readonly #met = new BoundedMap<string, true>(MET_MAX);

  readonly #migrations: URL;

  constructor(database: Database, receivedAsOf: () => number, migrations = MIGRATIONS) {
    this.#database = database;
    this.#migrations = migrations;
    this.#cache = new FreshCache(DEFINITIONS_MAX, receivedAsOf);
  }

  get(applicationId: string): Promise<PreparedApplication | undefined> {
    return this.#cache.get(`${applicationId}/`, () => this.#load(applicationId));
  }

  /** Without waiting, when it is at hand. */
  peek(applicationId: string): PreparedApplication | undefined {
    return this.#cache.peek(`${applicationId}/`);
  }

  /**
   * Whether there is such an application, or was lately, whatever is at hand of it: what is at hand goes every minute, and
   * all of it when the node has heard nothing for a moment, as one does that has too much to do.
   */
  knows(applicationId: string): boolean {
    return this.#met.has(applicationId);
  }

  async meetAll(): Promise<void> {
    for (const id of await listApplicationIds(this.#database.system)) this.#meet(id);
  }

  #meet(applicationId: string): void {
    this.#met.set(applicationId, true);
  }

  get lookups(): { readonly hits: number; readonly misses: number } {
    return this.#cache;
  }

  invalidate(invalidation: Invalidation): void {
    this.#cache.invalidate(invalidation);
    // One that was published a moment ago is not to wait behind those that are made up.
    if (typeof invalidation === 'object' && 'application' in invalidation) this.#meet(invalidation.application);
  }

  async #load(applicationId: string): Promise<PreparedApplication | undefined> {
    const stored = await getApplication(this.#database.system, applicationId);
    if (stored === undefined) {
      this.#prepared.delete(applicationId);
      this.#met.delete(applicationId);
      return undefined;
    }
    this.#meet(applicationId);
    const { generation, publishedAt, signOnEpoch } = stored;
    // The generation alone is not enough: an application may have been removed and published anew.
    const mark = `${generation} ${publishedAt} ${signOnEpoch}`;
    const known = this.#prepared.get(applicationId);
    if (known?.mark === mark) return known.application;
    try {
      await migrateApplication(this.#database, applicationId, this.#migrations);
    } catch (error) {
      // Removed since it was read.
      if (error instanceof StaleDefinition) return undefined;
      throw error;
    }
    const application = prepareApplication(stored);
    this.#prepared.set(applicationId, { mark, application });
    return application;
  }
}
