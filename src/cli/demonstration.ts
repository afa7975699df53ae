// The demonstration of `npm start`: published into a new database, and shown again at later starts. A database that
// already has applications is never changed.

import { open, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';
import { loadDemonstration } from '../../demo/load.ts';
import { ensureDataFolder, unusable } from './operator-key.ts';

type Demonstration = Awaited<ReturnType<typeof loadDemonstration>>;

/** A demonstration of an earlier version has no photos. */
type Kept = Omit<Demonstration, 'photosId' | 'attachmentId'> & Partial<Demonstration>;

/** Holds a token and a password, so only the owner of the data folder may read it. */
const FILE = 'demonstration.json';

interface DemonstrateOptions {
  readonly connection: pg.ClientConfig;
  readonly operatorKey: string;
  readonly dataFolder: string;
  readonly print: (line: string) => void;
}

export async function demonstrate(address: string, options: DemonstrateOptions): Promise<void> {
  const { connection, operatorKey, dataFolder, print } = options;
  // Imported here: a primary process with workers does not need the driver unless there is a demonstration.
  const { withDemonstrationLock } = await import('../store/nodes/demonstration-lock.ts');
  const published = await withDemonstrationLock(connection, async () => {
    const found = await publishedAt(address, operatorKey);
    if (found.length === 0) await publish(address, options);
    return found;
  });
  if (published.length === 0) return;
  const kept = await readKept(join(dataFolder, FILE));
  if (kept !== undefined && published.includes(kept.applicationId)) printAddresses(address, kept);
  else print('The database already has applications; the demonstration is only published into a new database.');
}

async function publish(address: string, { operatorKey, dataFolder, print }: DemonstrateOptions): Promise<void> {
  const file = await keepableAt(dataFolder);
  const started = performance.now();
  const made = await loadDemonstration({ baseUrl: address, operatorKey, today: new Date(), print });
  print(`Published the demonstration in ${((performance.now() - started) / 1000).toFixed(1)} s.`);
  await writeFile(file, JSON.stringify(made), { mode: 0o600 });
  printAddresses(address, made);
}

/** Checked before anything is published: the server shows the token only once. */
async function keepableAt(dataFolder: string): Promise<string> {
  const file = join(dataFolder, FILE);
  await ensureDataFolder(dataFolder);
  try {
    await (await open(file, 'a', 0o600)).close();
  } catch (error) {
    throw unusable(dataFolder, error);
  }
  return file;
}

async function publishedAt(address: string, operatorKey: string): Promise<string[]> {
  const headers = { authorization: `Bearer ${operatorKey}` };
  const response = await fetch(`${address}/operator/v1/applications`, { headers });
  if (!response.ok) throw new Error(`could not list the applications: status ${response.status}`);
  return ((await response.json()) as { id: string }[]).map(({ id }) => id);
}

async function readKept(file: string): Promise<Kept | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Kept;
  } catch {
    return undefined;
  }
}

function printAddresses(address: string, demo: Kept): void {
  const records = `${address}/v1/${demo.applicationId}/collections/${demo.collectionId}/records`;
  const photo = `${address}/v1/${demo.applicationId}/collections/${demo.photosId}/attachments/${demo.attachmentId}`;
  const curl = `curl -s -H 'Authorization: Bearer ${demo.token}'`;
  console.log(`
  Base address   ${address}/v1
  Application    ${demo.applicationId} (Field inspections)
  Collection     ${demo.collectionId} (Visits)
  Token          ${demo.token}
  Or as a user   ${demo.userId} with the password ${demo.password} (until you change it)
  In a browser   ${address}/console/${demo.applicationId}

Read a visit:

${curl} '${records}/${demo.recordId}'

Or search for visits:

${curl} '${records}?search=roof&limit=3'
${demo.attachmentId === undefined ? '' : `\nOr fetch a photo:\n\n${curl} -o photo.png '${photo}'\n`}`);
}
