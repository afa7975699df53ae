// What is kept of the demonstration in the data folder: demonstration.json for later starts, and demonstration.env, which
// a shell reads before the examples of the documentation. Both hold secrets, so only their owner may read them.

import { chmod, open, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { LoadedDemonstration } from '../../demo/load.ts';
import { ensureDataFolder, unusable } from './operator-key.ts';

const FILE = 'demonstration.json';
const SHELL_FILE = 'demonstration.env';
const OWNER_ONLY = 0o600;

export const shellFileIn = (dataFolder: string): string => join(dataFolder, SHELL_FILE);

/** Called before anything is published: the server shows the token only once. */
export async function checkKeepable(dataFolder: string): Promise<void> {
  await ensureDataFolder(dataFolder);
  try {
    await (await open(join(dataFolder, FILE), 'a', OWNER_ONLY)).close();
  } catch (error) {
    throw unusable(dataFolder, error);
  }
}

/** At every start, because the address may be another one. */
export async function keepDemonstration(dataFolder: string, address: string, demo: LoadedDemonstration): Promise<void> {
  await writePrivately(join(dataFolder, FILE), `${JSON.stringify({ ...demo, address }, undefined, 2)}\n`);
  await writePrivately(shellFileIn(dataFolder), shellLines(address, demo));
}

export async function readKept(dataFolder: string): Promise<LoadedDemonstration | undefined> {
  try {
    return JSON.parse(await readFile(join(dataFolder, FILE), 'utf8')) as LoadedDemonstration;
  } catch {
    return undefined;
  }
}

async function writePrivately(file: string, text: string): Promise<void> {
  await writeFile(file, text, { mode: OWNER_ONLY });
  // The mode above is only for a new file.
  await chmod(file, OWNER_ONLY);
}

/** The names that all examples use. No value contains a quotation mark. */
function shellLines(address: string, demo: LoadedDemonstration): string {
  const variables = {
    ADDRESS: address,
    APPLICATION: demo.applicationId,
    API: `${address}/v1/${demo.applicationId}`,
    OPERATOR_API: `${address}/operator/v1`,
    TOKEN: demo.token,
    USER_ID: demo.userId,
    PASSWORD: demo.password,
    VISITS: demo.collectionId,
    VISIT: demo.recordId,
    PHOTOS: demo.photosId,
    PHOTO: demo.attachmentId,
  };
  const lines = Object.entries(variables).map(([name, value]) => `${name}='${value}'`);
  return `# Written at each start with the demonstration. The examples of README.md and docs/ begin with it.\n${lines.join('\n')}\n`;
}
