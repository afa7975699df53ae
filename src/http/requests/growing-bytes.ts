// Bytes that come in pieces, copied together as they come: as buffers of their own, pieces of a few bytes would take many
// times their length.

const CAPACITY_MIN = 4_096;

export class GrowingBytes {
  readonly #lengthMax: number;
  /** The first piece as it came; with the second, a copy with room for more. */
  #bytes: Buffer | undefined;
  #copied = false;
  #length = 0;

  /** There will never be more than so many. */
  constructor(lengthMax: number) {
    this.#lengthMax = lengthMax;
  }

  get length(): number {
    return this.#length;
  }

  /** The memory that they take. */
  get capacity(): number {
    return this.#bytes?.length ?? 0;
  }

  add(piece: Buffer): void {
    const length = this.#length + piece.length;
    if (this.#bytes === undefined) this.#bytes = piece;
    else {
      if (!this.#copied || length > this.#bytes.length) this.#grow(this.#bytes, length);
      piece.copy(this.#bytes, this.#length);
    }
    this.#length = length;
  }

  /** All of them, without another copy. */
  taken(): Buffer {
    return this.#bytes?.subarray(0, this.#length) ?? Buffer.alloc(0);
  }

  #grow(bytes: Buffer, length: number): void {
    const capacity = Math.min(this.#lengthMax, Math.max(CAPACITY_MIN, 2 * bytes.length, length));
    const grown = Buffer.allocUnsafeSlow(capacity);
    bytes.copy(grown, 0, 0, this.#length);
    this.#bytes = grown;
    this.#copied = true;
  }
}
