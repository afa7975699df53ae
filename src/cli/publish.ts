// `cartulary publish`: sends a publish document and tells what changed, in sentences.

import { readJsonFile } from './json-file.ts';
import type { OperatorClient } from './operator-client.ts';

interface Published {
  readonly application: { readonly id: string; readonly name: string; readonly version: number };
  readonly changes: readonly { readonly text: string; readonly losesData?: true; readonly records?: number }[];
}

export async function publish(
  client: OperatorClient,
  file: string,
  options: { dryRun: boolean; allowDataLoss: boolean },
): Promise<void> {
  const query = `?dryRun=${options.dryRun}&allowDataLoss=${options.allowDataLoss}`;
  const { application, changes } = (await client.send(
    'POST',
    `/applications${query}`,
    await readJsonFile(file),
  )) as Published;
  for (const change of changes) {
    console.log(`- ${change.text}${change.losesData ? ` Data of ${change.records ?? 0} records is lost.` : ''}`);
  }
  if (changes.length === 0) console.log('Nothing has changed.');
  const verb = options.dryRun ? 'would be' : 'is';
  console.log(`${application.name} (${application.id}) ${verb} at version ${application.version}.`);
}
