// The migrations of a version to come: those of this one, and more.

import { existsSync } from 'node:fs';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

export function projectRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json'))) folder = dirname(folder);
  return folder;
}

/** Calls `work` with a folder that holds the migrations of this version and the given ones, by their paths in it. */
export async function withMigrations(
  more: Readonly<Record<string, string>>,
  work: (folder: URL) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'ct-migrations-'));
  try {
    await cp(join(projectRoot(), 'migrations'), folder, { recursive: true });
    for (const [path, text] of Object.entries(more)) await writeFile(join(folder, path), text);
    await work(pathToFileURL(`${folder}/`));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
