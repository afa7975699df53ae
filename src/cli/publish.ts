// `cartulary publish`: sends a publish document and tells what changed, in sentences.

import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { CommandFailure } from './failure.ts';
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
    await readDocument(file),
  )) as Published;
  for (const change of changes) {
    console.log(`- ${change.text}${change.losesData ? ` Data of ${change.records ?? 0} records is lost.` : ''}`);
  }
  if (changes.length === 0) console.log('Nothing has changed.');
  const verb = options.dryRun ? 'would be' : 'is';
  console.log(`${application.name} (${application.id}) ${verb} at version ${application.version}.`);
}

async function readDocument(file: string): Promise<unknown> {
  let content: string;
  try {
    content = file === '-' ? await text(process.stdin) : await readFile(file, 'utf8');
  } catch (error) {
    throw new CommandFailure(`Cannot read ${file}: ${(error as Error).message}`);
  }
  try {
    return JSON.parse(content);
  } catch (error) {
    throw new CommandFailure(`${file} is not JSON: ${(error as Error).message}`);
  }
}
