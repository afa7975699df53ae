// A file in the data folder of a running server with its address, so that commands on the same machine find it.

import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const FILE = 'server.json';

interface ServerFile {
  readonly address: string;
  readonly pid: number;
}

/** Does nothing without a data folder: a server may have all its data elsewhere. Returns a function that removes it. */
export async function writeServerFile(dataFolder: string, address: string): Promise<() => Promise<void>> {
  const file: ServerFile = { address, pid: process.pid };
  await writeFile(join(dataFolder, FILE), JSON.stringify(file), { mode: 0o600 }).catch(() => undefined);
  return async () => {
    // Another server with the same folder may have overwritten it.
    if ((await readServerFile(dataFolder))?.pid === process.pid) await rm(join(dataFolder, FILE), { force: true });
  };
}

export interface NamedServer extends ServerFile {
  /** False for a server that ended without removing its entry. */
  readonly isRunning: boolean;
}

/** The server that the data folder names. */
export async function namedServer(dataFolder: string): Promise<NamedServer | undefined> {
  const file = await readServerFile(dataFolder);
  return file && { ...file, isRunning: lives(file.pid) };
}

async function readServerFile(dataFolder: string): Promise<ServerFile | undefined> {
  try {
    const { address, pid } = JSON.parse(await readFile(join(dataFolder, FILE), 'utf8')) as Partial<ServerFile>;
    return typeof address === 'string' && typeof pid === 'number' ? { address, pid } : undefined;
  } catch {
    return undefined;
  }
}

function lives(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: the process exists and belongs to another account.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
