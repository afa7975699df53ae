// The operator's key: from the settings, or made at the first start and kept in the data folder for its owner alone.

import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { operatorKey } from '../settings/setting-values.ts';
import { CommandFailure } from './failure.ts';

const FILE = 'operator.key';

export const operatorKeyFile = (dataFolder: string): string => join(dataFolder, FILE);

export async function ensureOperatorKey(given: string | undefined, dataFolder: string): Promise<string> {
  if (given !== undefined) return given;
  const kept = await readOperatorKey(dataFolder);
  if (kept !== undefined) return kept;
  await makeDataFolder(dataFolder);
  const key = randomBytes(32).toString('base64url');
  try {
    await writeFile(operatorKeyFile(dataFolder), `${key}\n`, { mode: 0o600, flag: 'wx' });
    return key;
  } catch (error) {
    // Another server with the same folder was quicker.
    const made = await readOperatorKey(dataFolder);
    if (made === undefined) throw unusable(dataFolder, error);
    return made;
  }
}

export async function readOperatorKey(dataFolder: string): Promise<string | undefined> {
  let kept: string;
  try {
    kept = (await readFile(operatorKeyFile(dataFolder), 'utf8')).trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw unusable(dataFolder, error);
  }
  return checked(kept, operatorKeyFile(dataFolder));
}

/** One that somebody wrote into the file has to be as good as one of the settings. */
function checked(key: string, file: string): string {
  try {
    return operatorKey(key);
  } catch (error) {
    throw new CommandFailure(
      `The operator key in ${file} ${(error as Error).message}. Without the file the server makes one.`,
    );
  }
}

export async function makeDataFolder(dataFolder: string): Promise<void> {
  await mkdir(dataFolder, { recursive: true }).catch((error) => {
    throw unusable(dataFolder, error);
  });
}

export const unusable = (dataFolder: string, error: unknown): CommandFailure =>
  new CommandFailure(`Cannot use the data folder ${dataFolder}: ${(error as Error).message}`, { cause: error });
