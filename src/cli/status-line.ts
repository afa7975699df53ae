// How far something long has come, on standard error while the command waits for it: one line that is rewritten where a
// person looks on, else a line now and then.

const WIDTH = 80;

export interface StatusLine {
  /** What matters most comes first: a narrow terminal cuts the rest off. */
  show(line: string): void;
  clear(): void;
}

/** `everyMs`: between two lines where nobody looks on. */
export function statusLine({ everyMs, firstMs }: { everyMs: number; firstMs: number }): StatusLine {
  const { stderr } = process;
  let shown = false;
  let nextAt = performance.now() + firstMs;
  return {
    show(line) {
      if (stderr.isTTY) {
        shown = true;
        stderr.write(`\r\u001b[K${line.slice(0, (stderr.columns || WIDTH) - 1)}`);
      } else if (performance.now() >= nextAt) {
        nextAt = performance.now() + everyMs;
        stderr.write(`${line}\n`);
      }
    },
    clear() {
      if (shown) stderr.write('\r\u001b[K');
      shown = false;
    },
  };
}
