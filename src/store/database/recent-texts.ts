// What is kept for texts of statements, bounded in number and in the length of the texts; the least recently used goes first.

export interface Bounds {
  readonly max: number;
  /** In characters, of all texts together. */
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
    if (value !== undefined) {
      this.#values.delete(text);
      this.#length -= text.length;
    }
    return value;
  }

  add(text: string, value: T): void {
    this.#makeRoom(text.length);
    this.#values.set(text, value);
    this.#length += text.length;
  }

  /** The value kept for the text, made if there is none. */
  use(text: string, make: () => T): T {
    const value = this.take(text) ?? make();
    this.add(text, value);
    return value;
  }

  #makeRoom(length: number): void {
    const { max, lengthMax } = this.#bounds;
    for (const [text, value] of this.#values) {
      if (this.#values.size < max && this.#length + length <= lengthMax) return;
      this.#values.delete(text);
      this.#length -= text.length;
      this.#onForgotten?.(value);
    }
  }
}
