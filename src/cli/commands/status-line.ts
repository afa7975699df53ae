// The progress of a long command, on standard error: one line that is rewritten on a terminal, elsewhere a new line from
// time to time.

const WIDTH = 80;

export interface StatusLine {
  /** Put what matters first: a narrow terminal cuts the rest off. */
  show(line: string): void;
  clear(): void;
}

/** `everyMs` and `firstMs` apply without a terminal: the time between two lines, and before the first. */
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
