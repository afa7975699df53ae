// The files in a folder of attachments, as a test sees them while a server works there.

import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Their paths, in order, without the marker of the folder. Not by `readdir` with `recursive`: that fails when the server
 * removes a folder that has become empty between the look above it and the look into it.
 */
export async function storedFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  const found = entries
    .filter(({ name }) => !name.startsWith('.'))
    .map((entry) => (entry.isDirectory() ? storedFiles(join(folder, entry.name)) : [join(folder, entry.name)]));
  return (await Promise.all(found)).flat().sort();
}
