// A cache whose entries are used only while they are known to be fresh: either just read, or covered by what this node
// has heard since (store/nodes/messages). Revocations and publishing therefore act on every node within a second, also while
// nodes cannot hear each other.

import type { Invalidation } from './messages.ts';

/** Below one second with room for the request itself. */
const FRESH_MS = 800;
/** Whatever was heard: should an announcement ever be missing, what it would have ended does not go on for longer. */
const AGE_MS_MAX = 60_000;

interface Entry<V> {
  readonly value: V;
  /** `performance.now()` before the value was asked for. */
  readonly askedAt: number;
}

export class FreshCache<V> {
  readonly #entries = new Map<string, Entry<V>>();
  readonly #loading = new Map<string, Promise<V>>();
  /** The keys of both, by application. */
  readonly #keys = new Map<string, Set<string>>();
  hits = 0;
  /** How often a value had to be asked for. */
  misses = 0;
  readonly #max: number;
  readonly #receivedAsOf: () => number;
  readonly #sharedUserOf: (value: V) => string | null | undefined;

  /** `sharedUserOf`: of which shared user's account a value is, if of any. */
  constructor(
    max: number,
    receivedAsOf: () => number,
    sharedUserOf: (value: V) => string | null | undefined = () => null,
  ) {
    this.#max = max;
    this.#receivedAsOf = receivedAsOf;
    this.#sharedUserOf = sharedUserOf;
  }

  /** Keys begin with the application they belong to: `<applicationId>/…`; that of a session goes on with its identifier. */
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
    this.#unlist(key);
  }

  #fresh(key: string): Entry<V> | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    const now = performance.now();
    const known = Math.max(entry.askedAt, this.#receivedAsOf());
    if (now - known < FRESH_MS && now - entry.askedAt < AGE_MS_MAX) {
      this.hits += 1;
      return entry;
    }
    this.#entries.delete(key);
    this.#unlist(key);
    return undefined;
  }

  invalidate(invalidation: Invalidation): void {
    if (invalidation === 'everything') {
      this.#entries.clear();
      this.#loading.clear();
      this.#keys.clear();
      return;
    }
    if ('sharedUser' in invalidation) {
      // Of whom those under way are is not known yet.
      for (const key of this.#loading.keys()) this.forget(key);
      for (const [key, { value }] of this.#entries)
        if (this.#sharedUserOf(value) === invalidation.sharedUser) this.forget(key);
      return;
    }
    const { application, session } = invalidation;
    if (session !== undefined) this.forget(`${application}/${session}`);
    else for (const key of this.#keys.get(application) ?? []) this.forget(key);
  }

  async #load(key: string, load: () => Promise<V>): Promise<V> {
    this.misses += 1;
    const askedAt = performance.now();
    const loading = load();
    this.#loading.set(key, loading);
    this.#list(key);
    try {
      const value = await loading;
      // When news came in meanwhile the value may be older than it: serve it to those who waited, keep it from others.
      if (this.#loading.get(key) === loading) this.#keep(key, { value, askedAt });
      return value;
    } finally {
      if (this.#loading.get(key) === loading) {
        this.#loading.delete(key);
        this.#unlist(key);
      }
    }
  }

  #keep(key: string, entry: Entry<V>): void {
    if (this.#entries.size >= this.#max) {
      const oldest = this.#entries.keys().next().value;
      if (oldest !== undefined) {
        this.#entries.delete(oldest);
        this.#unlist(oldest);
      }
    }
    this.#entries.set(key, entry);
  }

  #list(key: string): void {
    const application = applicationOf(key);
    const keys = this.#keys.get(application);
    if (keys === undefined) this.#keys.set(application, new Set([key]));
    else keys.add(key);
  }

  /** Unless it is still at hand or under way. */
  #unlist(key: string): void {
    if (this.#entries.has(key) || this.#loading.has(key)) return;
    const application = applicationOf(key);
    const keys = this.#keys.get(application);
    keys?.delete(key);
    if (keys?.size === 0) this.#keys.delete(application);
  }
}

const applicationOf = (key: string): string => key.slice(0, key.indexOf('/'));
