// Where log lines go: collected for a moment and written together, which a line by itself would pay for with a turn of
// Node's thread pool (docs/architecture/monitoring.md).

import { pino } from 'pino';

/** A line is written after this time at the latest. */
const WAIT_MS = 20;
/** With more characters, lines are written at once. */
const LINES_MAX = 64 * 1024;

/** Returns a function that takes whole lines, with their line breaks. */
export function collectLines(): (line: string) => void {
  let lines = '';
  let timer: NodeJS.Timeout | undefined;
  const pass = () => {
    clearTimeout(timer);
    timer = undefined;
    if (lines !== '') destination.write(lines);
    lines = '';
  };
  // Before the destination, which registers itself too and then writes what it has.
  process.on('exit', pass);
  const destination = pino.destination({ dest: 2, sync: false });
  return (line) => {
    lines += line;
    if (lines.length > LINES_MAX) pass();
    else timer ??= setTimeout(pass, WAIT_MS);
  };
}
