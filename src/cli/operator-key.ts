// The operator key: from the settings, or created at the first start in a file that only the owner of the data folder
// can read.

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
  await ensureDataFolder(dataFolder);
  const key = randomBytes(32).toString('base64url');
  try {
    await writeFile(operatorKeyFile(dataFolder), `${key}\n`, { mode: 0o600, flag: 'wx' });
    return key;
  } catch (error) {
    // Another server with the same folder may have created it first.
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

/** A key that was written into the file by hand has to follow the same rules as the setting. */
function checked(key: string, file: string): string {
  try {
    return operatorKey(key);
  } catch (error) {
    throw new CommandFailure(
      `The operator key in ${file} ${(error as Error).message}. If you delete the file, the server creates a new key.`,
    );
  }
}

export async function ensureDataFolder(dataFolder: string): Promise<void> {
  await mkdir(dataFolder, { recursive: true }).catch((error) => {
    throw unusable(dataFolder, error);
  });
}

export const unusable = (dataFolder: string, error: unknown): CommandFailure =>
  new CommandFailure(`Cannot use the data folder ${dataFolder}: ${(error as Error).message}`, { cause: error });
