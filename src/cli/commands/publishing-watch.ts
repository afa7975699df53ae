// Polls and shows the progress of a publish while the command waits for it.

import type { OperatorClient } from '../operator-client.ts';
import { statusLine } from './status-line.ts';

interface Publishing {
  readonly step: string;
  readonly collectionName: string | null;
  readonly done: number;
  readonly total: number;
}

const POLL_MS = 500;
const LINE_MS = 3_000;

const STEPS: Readonly<Record<string, string>> = {
  checking: 'Checking the records',
  waiting: 'Waiting for writers',
  filling: 'Filling in the columns',
  indexing: 'Building indexes',
  switching: 'Switching to the new version',
  clearing: 'Removing what is no longer needed',
  undoing: 'Undoing what was prepared',
};

function progressLine({ step, collectionName, done, total }: Publishing): string {
  const percent = total === 0 ? '' : `${Math.floor((done / total) * 100)} % `;
  const collection = collectionName === null ? '' : ` of ${collectionName}`;
  const count = total === 0 ? '' : ` (${done.toLocaleString('en')} of ${total.toLocaleString('en')})`;
  return `${percent}${STEPS[step] ?? step}${collection}${count}`;
}

export function watchPublishing(client: OperatorClient, applicationId: string): { stop(): void } {
  let stopped = false;
  const shown = statusLine({ everyMs: LINE_MS, firstMs: 0 });
  let timer = setTimeout(() => void poll(), POLL_MS);
  const poll = async (): Promise<void> => {
    // Errors are ignored: the publish itself reports what is wrong.
    const reply = await client.send('GET', `/applications/${applicationId}/publishing`).catch(() => undefined);
    if (stopped) return;
    const publishing = (reply as { publishing: Publishing | null } | undefined)?.publishing;
    if (publishing) shown.show(progressLine(publishing));
    timer = setTimeout(() => void poll(), POLL_MS);
  };
  return {
    stop() {
      stopped = true;
      clearTimeout(timer);
      shown.clear();
    },
  };
}
