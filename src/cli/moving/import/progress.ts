// How far an import or export has come: rows, rate and time left.

import { type StatusLine, statusLine } from '../../commands/status-line.ts';

const EVERY_MS = 10_000;
const FIRST_MS = 5_000;
const REFRESH_MS = 200;
const BAR_WIDTH = 20;

export interface MovingProgress {
  show(rows: number, share: number | undefined): void;
  say(text: string): void;
  clear(): void;
}

export function makeProgress(): MovingProgress {
  const line: StatusLine = statusLine({ everyMs: EVERY_MS, firstMs: FIRST_MS });
  const startedAt = performance.now();
  let firstRows: number | undefined;
  let shownAt = 0;
  return {
    show(rows, share) {
      // What an earlier run has stored says nothing about the rate.
      firstRows ??= rows;
      const now = performance.now();
      if (now - shownAt < REFRESH_MS) return;
      shownAt = now;
      const seconds = (now - startedAt) / 1000;
      const rate = (rows - firstRows) / seconds;
      const count = `${rows.toLocaleString('en')} rows, ${Math.round(rate).toLocaleString('en')}/s`;
      line.show(share === undefined || share <= 0 ? count : `${barOf(share)} ${count}${timeLeft(seconds, share)}`);
    },
    say: (text) => line.show(text),
    clear: () => line.clear(),
  };
}

function barOf(share: number): string {
  const full = Math.round(Math.min(1, share) * BAR_WIDTH);
  const bar = process.stderr.isTTY ? `[${'#'.repeat(full)}${'.'.repeat(BAR_WIDTH - full)}] ` : '';
  return `${bar}${Math.floor(Math.min(1, share) * 100)} %,`;
}

function timeLeft(seconds: number, share: number): string {
  if (share >= 1) return '';
  const left = Math.ceil((seconds * (1 - share)) / share);
  return left < 90 ? `, ${left} s left` : `, ${Math.round(left / 60)} min left`;
}
