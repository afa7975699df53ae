// How far a publishing has come, asked for and shown while the command waits for it.

import type { OperatorClient } from './operator-client.ts';
import { statusLine } from './status-line.ts';

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

function progressLine({ step, collectionName, done, total }: Publishing): string {
  const share = total === 0 ? '' : `${Math.floor((done / total) * 100)} % `;
  const place = collectionName === null ? '' : ` of ${collectionName}`;
  const count = total === 0 ? '' : ` (${done.toLocaleString('en')} of ${total.toLocaleString('en')})`;
  return `${share}${STEPS[step] ?? step}${place}${count}`;
}

export function watchPublishing(client: OperatorClient, applicationId: string): { stop(): void } {
  let stopped = false;
  const shown = statusLine({ everyMs: LINE_MS, firstMs: 0 });
  let timer = setTimeout(() => void look(), LOOK_MS);
  const look = async (): Promise<void> => {
    // Not to be had now, or not yet: the publishing itself tells what is wrong.
    const answer = await client.send('GET', `/applications/${applicationId}/publishing`).catch(() => undefined);
    if (stopped) return;
    const publishing = (answer as { publishing: Publishing | null } | undefined)?.publishing;
    if (publishing) shown.show(progressLine(publishing));
    timer = setTimeout(() => void look(), LOOK_MS);
  };
  return {
    stop() {
      stopped = true;
      clearTimeout(timer);
      shown.clear();
    },
  };
}
