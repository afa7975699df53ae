// Where log lines go: collected for a moment and written together, which a line by itself would pay for with a turn of
// Node's thread pool (docs/architecture/monitoring.md).

import { pino } from 'pino';

/** A line is written after this time at the latest. */
const WAIT_MS = 20;
/** With more characters, lines are written at once. */
const LINES_MAX = 64 * 1024;

/** How long a process that ends waits for a write on its way, so that the last lines do not overtake it. */
const LAST_WRITE_MS = 20;

/** Returns a function that takes whole lines, with their line breaks. */
export function collectLines(): (line: string) => void {
  let lines = '';
  let timer: NodeJS.Timeout | undefined;
  let isWriting = false;
  const pass = () => {
    clearTimeout(timer);
    timer = undefined;
    if (lines === '') return;
    isWriting = true;
    destination.write(lines);
    lines = '';
  };
  // Before the destination, which registers itself too and then writes what it has, beside a write that is on its way in
  // Node's thread pool.
  process.on('exit', () => {
    if (isWriting) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LAST_WRITE_MS);
    pass();
  });
  const destination = pino.destination({ dest: 2, sync: false });
  destination.on('drain', () => {
    isWriting = false;
  });
  return (line) => {
    lines += line;
    if (lines.length > LINES_MAX) pass();
    else timer ??= setTimeout(pass, WAIT_MS);
  };
}
