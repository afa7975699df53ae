// The cache of prepared definitions on this node.

import { type PreparedApplication, prepareApplication } from '../../domain/definition/application.ts';
import { fault } from '../../faults.ts';
import { BoundedMap } from '../../load/bounded-map.ts';
import type { Database } from '../database/database.ts';
import { isLocked, StaleDefinition } from '../database/database-errors.ts';
import { FreshCache } from '../nodes/fresh-cache.ts';
import type { Invalidation } from '../nodes/messages.ts';
import { getApplication, listApplicationIds, type StoredApplication } from './applications.ts';
import { ensureMigrated, knownMigrations, MIGRATIONS } from './migrate.ts';
import { PreparedDefinitions } from './prepared-definitions.ts';

const DEFINITIONS_MAX = 20_000;
const KNOWN_IDS_MAX = 100_000;
/**
 * An application whose migration another transaction keeps from its tables, such as a move or a backup, is left alone for so long.
 * Each attempt to lock them holds up the servers of the previous version, which go on serving it.
 */
const LOCKED_MS = 10_000;

export class Definitions {
  readonly #cache: FreshCache<PreparedApplication | undefined>;
  readonly #database: Database;
  readonly #prepared = new PreparedDefinitions((applicationId) => this.#cache.forget(`${applicationId}/`));

  readonly #knownIds = new BoundedMap<string, true>(KNOWN_IDS_MAX);

  readonly #migrations: URL;
  /** A cache: forgetting one costs another attempt. */
  readonly #locked = new BoundedMap<string, { readonly until: number; readonly cause: unknown }>(DEFINITIONS_MAX);

  constructor(database: Database, receivedAsOf: () => number, migrations = MIGRATIONS) {
    this.#database = database;
    this.#migrations = migrations;
    this.#cache = new FreshCache(DEFINITIONS_MAX, receivedAsOf);
  }

  get(applicationId: string): Promise<PreparedApplication | undefined> {
    return this.#cache.get(`${applicationId}/`, () => this.#load(applicationId));
  }

  /** The cached definition, without loading it. */
  peek(applicationId: string): PreparedApplication | undefined {
    return this.#cache.peek(`${applicationId}/`);
  }

  /**
   * Whether the application exists or did recently. Outlives the cache, whose entries expire after some minutes, and all at once
   * when the node has received no message for a moment, as happens under heavy load.
   */
  knows(applicationId: string): boolean {
    return this.#knownIds.has(applicationId);
  }

  async rememberAll(): Promise<void> {
    for (const id of await listApplicationIds(this.#database.system)) this.#remember(id);
  }

  #remember(applicationId: string): void {
    this.#knownIds.set(applicationId, true);
  }

  get lookups(): { readonly hits: number; readonly misses: number } {
    return this.#cache;
  }

  invalidate(invalidation: Invalidation): void {
    this.#cache.invalidate(invalidation);
    // Requests to a newly published application must not queue with requests to made-up identifiers.
    if (typeof invalidation === 'object' && 'application' in invalidation) this.#remember(invalidation.application);
  }

  async #load(applicationId: string): Promise<PreparedApplication | undefined> {
    const stored = await getApplication(this.#database.system, applicationId);
    if (stored === undefined) {
      this.#prepared.delete(applicationId);
      this.#knownIds.delete(applicationId);
      return undefined;
    }
    this.#remember(applicationId);
    const { generation, publishedAt, signOnEpoch, isSettled } = stored;
    // The generation alone is not enough: the application may have been removed and published again.
    const mark = `${generation} ${publishedAt} ${signOnEpoch} ${isSettled}`;
    const prepared = this.#prepared.get(applicationId, mark);
    if (prepared !== undefined) return prepared;
    await this.#refuseLocked(stored);
    try {
      await ensureMigrated(this.#database, stored, this.#migrations);
    } catch (error) {
      // The application was removed after it was read.
      if (error instanceof StaleDefinition) return undefined;
      if (isLocked(error)) this.#locked.set(applicationId, { until: performance.now() + LOCKED_MS, cause: error });
      throw error;
    }
    const application = prepareApplication(stored);
    this.#prepared.set(mark, application);
    return application;
  }

  /** Another server may have migrated it meanwhile. */
  async #refuseLocked({ definition, migration }: StoredApplication): Promise<void> {
    const locked = this.#locked.get(definition.id);
    if (locked === undefined || performance.now() >= locked.until) return;
    if (migration >= (await knownMigrations(this.#migrations)).application) return;
    const refusal = fault('UNAVAILABLE', { reason: 'database' }, { 'retry-after': '1' });
    refusal.cause = locked.cause;
    throw refusal;
  }
}
