// @ts-check
// Progress for people, on stderr: one line that is written over on a terminal, and a line now and then elsewhere.

const LINE_MS = 10_000;

/** @param {string} line */
export const note = (line) => process.stderr.write(`${line}\n`);

/** What must not be overlooked. @param {string} line */
export const warn = (line) => process.stderr.write(`!! ${line}\n`);

/**
 * A counter towards a total: call it with what has been done so far.
 * @param {string} label
 * @param {number} total
 * @param {number} [from] what was done before it began, as after an interruption
 * @returns {(done: number) => void}
 */
export function counter(label, total, from = 0) {
  const began = performance.now();
  let told = began;
  const terminal = process.stderr.isTTY === true;
  return (done) => {
    const now = performance.now();
    const last = done >= total;
    if (!last && now - told < (terminal ? 200 : LINE_MS)) return;
    told = now;
    const seconds = (now - began) / 1000;
    const left = done > from ? ((total - done) * seconds) / (done - from) : 0;
    const tail = last ? `${seconds.toFixed(1)} s` : `about ${Math.ceil(left)} s left`;
    const line = `${label}: ${done.toLocaleString('en')} of ${total.toLocaleString('en')}, ${tail}`;
    process.stderr.write(
      terminal && !last ? `\r${line}\x1b[K` : `${terminal ? '\r' : ''}${line}${terminal ? '\x1b[K' : ''}\n`,
    );
  };
}
