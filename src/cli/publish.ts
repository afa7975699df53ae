// `cartulary publish`: sends a publish document and prints the changes.

import { readJsonFile } from './json-file.ts';
import type { OperatorClient } from './operator-client.ts';
import { watchPublishing } from './publishing-watch.ts';

interface Published {
  readonly application: { readonly id: string; readonly name: string; readonly version: number };
  readonly changes: readonly { readonly text: string; readonly losesData?: true; readonly records?: number }[];
}

export async function publishFromFile(
  client: OperatorClient,
  file: string,
  options: { dryRun: boolean; allowDataLoss: boolean },
): Promise<void> {
  const query = `?dryRun=${options.dryRun}&allowDataLoss=${options.allowDataLoss}`;
  const document = await readJsonFile(file);
  const publishing = client.send('POST', `/applications${query}`, document) as Promise<Published>;
  const { application, changes } = await withProgress(publishing, client, document);
  for (const change of changes) {
    console.log(`- ${change.text}${change.losesData ? ` Data of ${change.records ?? 0} records is lost.` : ''}`);
  }
  if (changes.length === 0) console.log('Nothing has changed.');
  const named = typeof document === 'object' && document !== null && 'id' in document;
  if (options.dryRun) {
    const name = named ? `${application.name} (${application.id})` : `A new application ${application.name}`;
    console.log(`${name} would be at version ${application.version}.`);
    return;
  }
  console.log(`${application.name} (${application.id}) is at version ${application.version}.`);
  if (!named) console.log(`To publish changes to it, put "id": "${application.id}" into the document.`);
}

/** Shows the progress. A document without an identifier creates an application, which takes no time. */
async function withProgress<T>(publishing: Promise<T>, client: OperatorClient, document: unknown): Promise<T> {
  if (typeof document !== 'object' || document === null || !('id' in document)) return publishing;
  const watch = watchPublishing(client, String(document.id));
  try {
    return await publishing;
  } finally {
    watch.stop();
  }
}
