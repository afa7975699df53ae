// The map with a bound, for entries that are cached or counted under names chosen by clients. Texts of statements, which
// clients choose as well, are also bounded in their length (store/database/recent-texts).

/** A full map drops the entry that was set longest ago; setting an entry again makes it the newest, reading it does not. */
export class BoundedMap<Key, Value> extends Map<Key, Value> {
  readonly #sizeMax: number;

  constructor(sizeMax: number) {
    super();
    this.#sizeMax = sizeMax;
  }

  override set(key: Key, value: Value): this {
    if (!this.delete(key) && this.size >= this.#sizeMax) {
      const oldest = this.keys().next();
      if (oldest.done !== true) this.delete(oldest.value);
    }
    return super.set(key, value);
  }
}
