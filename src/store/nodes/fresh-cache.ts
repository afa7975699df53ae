// A cache that serves only entries known to be fresh: just read, or not invalidated by any message up to a recent moment
// (store/nodes/messages). Revocations and publishing therefore take effect on every node within a second, even while messages
// between nodes do not arrive.

import type { Invalidation } from './messages.ts';

/** Below one second, with time left for the request itself. */
const FRESH_MS = 800;
/**
 * Whatever messages arrive: bounds the damage should an invalidation ever be missing. Entries reach different ages, so that
 * thousands of applications that were first asked in the same minute are not all read again in one.
 */
const AGE_MS_MIN = 300_000;
const AGE_MS_MAX = 600_000;

interface Entry<V> {
  readonly value: V;
  /** `performance.now()` before the value was read. */
  readonly readAt: number;
  readonly expiresAt: number;
}

export class FreshCache<V> {
  readonly #entries = new Map<string, Entry<V>>();
  readonly #loading = new Map<string, Promise<V>>();
  /** The keys of both, by application. */
  readonly #keys = new Map<string, Set<string>>();
  hits = 0;
  /** How often a value had to be read. */
  misses = 0;
  readonly #max: number;
  readonly #receivedAsOf: () => number;
  readonly #sharedUserOf: (value: V) => string | null | undefined;

  /** `sharedUserOf`: the shared user whose account a value belongs to, if any. */
  constructor(
    max: number,
    receivedAsOf: () => number,
    sharedUserOf: (value: V) => string | null | undefined = () => null,
  ) {
    this.#max = max;
    this.#receivedAsOf = receivedAsOf;
    this.#sharedUserOf = sharedUserOf;
  }

  /** A key is `<applicationId>/…`; the key of a session is `<applicationId>/<sessionId>`. */
  async get(key: string, load: () => Promise<V>): Promise<V> {
    const entry = this.#fresh(key);
    if (entry !== undefined) return entry.value;
    return this.#loading.get(key) ?? this.#load(key, load);
  }

  /** The value if it is cached and fresh, without waiting. */
  peek(key: string): V | undefined {
    return this.#fresh(key)?.value;
  }

  /** For an entry that this node knows to be stale without any message. */
  forget(key: string): void {
    this.#entries.delete(key);
    this.#loading.delete(key);
    this.#unlist(key);
  }

  #fresh(key: string): Entry<V> | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    const now = performance.now();
    const known = Math.max(entry.readAt, this.#receivedAsOf());
    if (now - known < FRESH_MS && now < entry.expiresAt) {
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
      // Values still being read may belong to the shared user.
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
    const readAt = performance.now();
    const loading = load();
    this.#loading.set(key, loading);
    this.#list(key);
    try {
      const value = await loading;
      // A value invalidated while it was being read is served to the requests that waited for it, and not kept.
      if (this.#loading.get(key) === loading) this.#keep(key, { value, readAt, expiresAt: expiryOf(readAt) });
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

  /** Unless the key is still cached or being read. */
  #unlist(key: string): void {
    if (this.#entries.has(key) || this.#loading.has(key)) return;
    const application = applicationOf(key);
    const keys = this.#keys.get(application);
    keys?.delete(key);
    if (keys?.size === 0) this.#keys.delete(application);
  }
}

const expiryOf = (readAt: number): number => readAt + AGE_MS_MIN + Math.random() * (AGE_MS_MAX - AGE_MS_MIN);

const applicationOf = (key: string): string => key.slice(0, key.indexOf('/'));
