// How far a publishing has come, on standard error while the command waits for it: one line that is rewritten where a
// person looks on, else a line now and then.

import type { OperatorClient } from './operator-client.ts';

interface Publishing {
  readonly step: string;
  readonly collectionName: string | null;
  readonly done: number;
  readonly total: number;
}

const LOOK_MS = 500;
const LINE_MS = 3_000;

const STEPS: Readonly<Record<string, string>> = {
  checking: 'Checking the records',
  waiting: 'Waiting for those who are writing',
  filling: 'Filling in the columns',
  indexing: 'Building indexes',
  switching: 'Switching to the new version',
  clearing: 'Clearing away what is no longer needed',
  undoing: 'Undoing what was prepared',
};

/** What matters most comes first: a narrow terminal cuts the rest off. */
function progressLine({ step, collectionName, done, total }: Publishing): string {
  const share = total === 0 ? '' : `${Math.floor((done / total) * 100)} % `;
  const place = collectionName === null ? '' : ` of ${collectionName}`;
  const count = total === 0 ? '' : ` (${done.toLocaleString('en')} of ${total.toLocaleString('en')})`;
  return `${share}${STEPS[step] ?? step}${place}${count}`;
}

const WIDTH = 80;

export function watchPublishing(client: OperatorClient, applicationId: string): { stop(): void } {
  const { stderr } = process;
  let stopped = false;
  let shown = false;
  let saidAt = Number.NEGATIVE_INFINITY;
  let timer = setTimeout(() => void look(), LOOK_MS);
  const show = (line: string) => {
    if (stderr.isTTY) {
      shown = true;
      stderr.write(`\r\u001b[K${line.slice(0, (stderr.columns || WIDTH) - 1)}`);
    } else if (performance.now() - saidAt >= LINE_MS) {
      saidAt = performance.now();
      stderr.write(`${line}\n`);
    }
  };
  const look = async (): Promise<void> => {
    // Not to be had now, or not yet: the publishing itself tells what is wrong.
    const answer = await client.send('GET', `/applications/${applicationId}/publishing`).catch(() => undefined);
    if (stopped) return;
    const publishing = (answer as { publishing: Publishing | null } | undefined)?.publishing;
    if (publishing) show(progressLine(publishing));
    timer = setTimeout(() => void look(), LOOK_MS);
  };
  return {
    stop() {
      stopped = true;
      clearTimeout(timer);
      if (shown) stderr.write('\r\u001b[K');
    },
  };
}
