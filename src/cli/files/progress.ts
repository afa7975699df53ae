// How far a transfer has come, on a terminal and in a log.

import { statusLine } from '../commands/status-line.ts';

const LINE_MS = 10_000;
const UNITS = ['bytes', 'KB', 'MB', 'GB', 'TB'];

/** `1.5 MB`, with the units of file managers: 1 MB is 1,000,000 bytes. */
export function sizeText(bytes: number): string {
  const step = bytes < 1000 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(bytes) / 3));
  return `${step === 0 ? bytes : (bytes / 1000 ** step).toFixed(1)} ${UNITS[step]}`;
}

/** A line that tells how far a transfer has come, and how fast it is. */
export function transferLine(title: string): { show(done: number, total?: number): void; clear(): void } {
  const line = statusLine({ everyMs: LINE_MS, firstMs: LINE_MS });
  const startedAt = performance.now();
  return {
    show(done, total) {
      const rate = sizeText(Math.round((done * 1000) / Math.max(1, performance.now() - startedAt)));
      const percent = total ? `${Math.floor((done / total) * 100)} % ` : '';
      line.show(`${percent}${title} (${sizeText(done)}${total ? ` of ${sizeText(total)}` : ''}, ${rate}/s)`);
    },
    clear: line.clear,
  };
}

/** Passes the chunks on and shows how many bytes there were. */
export async function* withProgress(
  source: AsyncIterable<Uint8Array>,
  title: string,
  total?: number,
): AsyncGenerator<Uint8Array> {
  const line = transferLine(title);
  let done = 0;
  try {
    for await (const chunk of source) {
      done += chunk.length;
      line.show(done, total);
      yield chunk;
    }
  } finally {
    line.clear();
  }
}
