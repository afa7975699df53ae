// The demonstration of `npm start`: published into a new database, and shown again at later starts. A database that
// already has applications is never changed.

import type pg from 'pg';
import { type LoadedDemonstration, loadDemonstration } from '../../demo/load.ts';
import { checkKeepable, keepDemonstration, readKept, shellFileIn } from './demonstration-files.ts';
import { quoted } from './program-name.ts';

interface DemonstrateOptions {
  readonly connection: pg.ClientConfig;
  readonly operatorKey: string;
  readonly dataFolder: string;
  readonly print: (line: string) => void;
  /** The command that starts this server again. */
  readonly again: string;
}

/** Returns what to tell the user once the server is ready. */
export async function demonstrate(address: string, options: DemonstrateOptions): Promise<string> {
  const { connection, operatorKey, dataFolder } = options;
  // Imported here: a primary process with workers does not need the driver unless there is a demonstration.
  const { withDemonstrationLock } = await import('../store/nodes/demonstration-lock.ts');
  const demo = await withDemonstrationLock(connection, async () => {
    const published = await publishedAt(address, operatorKey);
    if (published.length === 0) return publish(address, options);
    const kept = await readKept(dataFolder);
    return kept !== undefined && published.includes(kept.applicationId) ? kept : undefined;
  });
  if (demo === undefined) {
    return 'The database already has applications; the demonstration is only published into a new database.\n';
  }
  await keepDemonstration(dataFolder, address, demo);
  return descriptionOf(address, demo, options);
}

/** The demonstration's application, for those who open the bare address. */
export const homeIn = (dataFolder: string) => async (): Promise<string | undefined> =>
  (await readKept(dataFolder))?.applicationId;

async function publish(
  address: string,
  { operatorKey, dataFolder, print }: DemonstrateOptions,
): Promise<LoadedDemonstration> {
  await checkKeepable(dataFolder);
  print('Publishing the demonstration (first start)…');
  const demo = await loadDemonstration({ baseUrl: address, operatorKey, today: new Date() });
  await keepDemonstration(dataFolder, address, demo);
  return demo;
}

async function publishedAt(address: string, operatorKey: string): Promise<string[]> {
  const headers = { authorization: `Bearer ${operatorKey}` };
  const response = await fetch(`${address}/operator/v1/applications`, { headers });
  if (!response.ok) throw new Error(`could not list the applications: status ${response.status}`);
  return ((await response.json()) as { id: string }[]).map(({ id }) => id);
}

const descriptionOf = (
  address: string,
  demo: LoadedDemonstration,
  { dataFolder, again }: DemonstrateOptions,
): string => `
  Application  ${demo.applicationId}, Field inspections: a demonstration with some hundred records
  Console      ${address}/console/${demo.applicationId}
  Sign in      ${demo.email} with the password ${demo.password}
  Token        ${demo.token}

Read a visit, in another terminal:

  curl -sS --fail-with-body -H 'Authorization: Bearer ${demo.token}' \\
    '${address}/v1/${demo.applicationId}/collections/${demo.collectionId}/records/${demo.recordId}'

Before the examples of README.md and docs/, in this folder:

  . ${quoted(shellFileIn(dataFolder))}

Ctrl-C stops the server, and ${again} starts it again with its data.
To start afresh, stop it and delete ${quoted(dataFolder)}.
`;
