// How many requests are being worked on. One whose connection is cut goes on for a moment: an upload notes what has
// arrived. A server that stops waits for them before it closes what they need.

export class UnderWay {
  #count = 0;
  #none: (() => void) | undefined;

  begin(): void {
    this.#count += 1;
  }

  end(): void {
    this.#count -= 1;
    if (this.#count === 0) this.#none?.();
  }

  /** Resolves when there is none, or when that takes too long. */
  async none(msMax: number): Promise<void> {
    if (this.#count === 0) return;
    await new Promise<void>((resolve) => {
      const late = setTimeout(resolve, msMax);
      this.#none = () => {
        clearTimeout(late);
        resolve();
      };
    });
  }
}
