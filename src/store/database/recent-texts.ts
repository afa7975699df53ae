// What is kept for texts of statements, bounded in number and in the length of the texts; the least recently used goes first.
// Other caches forget what was set longest ago (load/bounded-map).

export interface Bounds {
  readonly max: number;
  /** In characters, of all texts together; more than one text has. */
  readonly lengthMax: number;
}

export class RecentTexts<T> {
  /** The least recently added first. */
  readonly #values = new Map<string, T>();
  readonly #bounds: Bounds;
  readonly #onForgotten: ((value: T) => void) | undefined;
  #length = 0;

  constructor(bounds: Bounds, onForgotten?: (value: T) => void) {
    this.#bounds = bounds;
    this.#onForgotten = onForgotten;
  }

  take(text: string): T | undefined {
    const value = this.#values.get(text);
    if (value !== undefined) this.#delete(text);
    return value;
  }

  add(text: string, value: T): void {
    this.#delete(text);
    if (!this.#hasRoomFor(text)) this.#makeRoomFor(text);
    this.#values.set(text, value);
    this.#length += text.length;
  }

  /** The value kept for the text, made if there is none. */
  use(text: string, make: () => T): T {
    const value = this.take(text) ?? make();
    this.add(text, value);
    return value;
  }

  #delete(text: string): void {
    if (this.#values.delete(text)) this.#length -= text.length;
  }

  #hasRoomFor(text: string): boolean {
    return this.#values.size < this.#bounds.max && this.#length + text.length <= this.#bounds.lengthMax;
  }

  /** Only where there is none: iterating passes everything that was deleted at the beginning of the map. */
  #makeRoomFor(text: string): void {
    for (const [oldest, value] of this.#values) {
      if (this.#hasRoomFor(text)) return;
      this.#delete(oldest);
      this.#onForgotten?.(value);
    }
  }
}
