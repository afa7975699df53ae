// The definitions that this node has at hand, prepared for use.

import { type PreparedApplication, prepareApplication } from '../domain/application.ts';
import { getApplication } from './applications.ts';
import type { Reader } from './db.ts';
import { FreshCache } from './fresh-cache.ts';
import type { News } from './hearing.ts';

const DEFINITIONS_MAX = 2_000;

export class Definitions {
  readonly #cache: FreshCache<PreparedApplication | undefined>;
  readonly #system: Reader;
  /** The latest preparation of each application: what did not change keeps its identity, and what hangs on it. */
  readonly #prepared = new Map<string, { mark: string; application: PreparedApplication }>();

  constructor(system: Reader, heardAsOf: () => number) {
    this.#system = system;
    this.#cache = new FreshCache(DEFINITIONS_MAX, heardAsOf);
  }

  get(applicationId: string): Promise<PreparedApplication | undefined> {
    return this.#cache.get(`${applicationId}/`, () => this.#load(applicationId));
  }

  /** Without waiting, when it is at hand. */
  peek(applicationId: string): PreparedApplication | undefined {
    return this.#cache.peek(`${applicationId}/`);
  }

  hear(news: News): void {
    this.#cache.hear(news);
  }

  async #load(applicationId: string): Promise<PreparedApplication | undefined> {
    const stored = await getApplication(this.#system, applicationId);
    if (stored === undefined) {
      this.#prepared.delete(applicationId);
      return undefined;
    }
    const { generation, publishedAt, signOnEpoch } = stored;
    // The generation alone is not enough: an application may have been removed and published anew.
    const mark = `${generation} ${publishedAt} ${signOnEpoch}`;
    const known = this.#prepared.get(applicationId);
    if (known?.mark === mark) return known.application;
    const application = prepareApplication(stored);
    if (this.#prepared.size >= DEFINITIONS_MAX) this.#prepared.clear();
    this.#prepared.set(applicationId, { mark, application });
    return application;
  }
}
