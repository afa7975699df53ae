// A cache whose entries are used only while they are known to be fresh: either just read, or covered by what this node
// has heard since (store/hearing). Revocations and publishing therefore act on every node within a second, also while
// nodes cannot hear each other.

import type { News } from './hearing.ts';

/** Below one second with room for the request itself. */
const FRESH_MS = 800;

interface Entry<V> {
  readonly value: V;
  /** `performance.now()` before the value was asked for. */
  readonly askedAt: number;
}

export class FreshCache<V> {
  readonly #entries = new Map<string, Entry<V>>();
  readonly #loading = new Map<string, Promise<V>>();
  readonly #max: number;
  readonly #heardAsOf: () => number;

  constructor(max: number, heardAsOf: () => number) {
    this.#max = max;
    this.#heardAsOf = heardAsOf;
  }

  /** Keys begin with the application they belong to: `<applicationId>/…`. */
  async get(key: string, load: () => Promise<V>): Promise<V> {
    const entry = this.#fresh(key);
    if (entry !== undefined) return entry.value;
    return this.#loading.get(key) ?? this.#load(key, load);
  }

  /** The value when it is at hand and fresh, without waiting; undefined otherwise. */
  peek(key: string): V | undefined {
    return this.#fresh(key)?.value;
  }

  /** For what this node knows to be out of date without any news. */
  forget(key: string): void {
    this.#entries.delete(key);
    this.#loading.delete(key);
  }

  #fresh(key: string): Entry<V> | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    if (performance.now() - Math.max(entry.askedAt, this.#heardAsOf()) < FRESH_MS) return entry;
    this.#entries.delete(key);
    return undefined;
  }

  hear(news: News): void {
    if (news === 'everything') {
      this.#entries.clear();
      this.#loading.clear();
      return;
    }
    const prefix = `${news.application}/`;
    for (const map of [this.#entries, this.#loading]) {
      for (const key of map.keys()) if (key.startsWith(prefix)) map.delete(key);
    }
  }

  async #load(key: string, load: () => Promise<V>): Promise<V> {
    const askedAt = performance.now();
    const loading = load();
    this.#loading.set(key, loading);
    try {
      const value = await loading;
      // When news came in meanwhile the value may be older than it: serve it to those who waited, keep it from others.
      if (this.#loading.get(key) === loading) this.#keep(key, { value, askedAt });
      return value;
    } finally {
      if (this.#loading.get(key) === loading) this.#loading.delete(key);
    }
  }

  #keep(key: string, entry: Entry<V>): void {
    if (this.#entries.size >= this.#max) {
      const oldest = this.#entries.keys().next().value;
      if (oldest !== undefined) this.#entries.delete(oldest);
    }
    this.#entries.set(key, entry);
  }
}
