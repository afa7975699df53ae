// The project's own files, as the tidy tests read them: from the sources, wherever the tests themselves run from.

import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface File {
  /** From the project's root, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

const BYTES_MAX = 2_000_000;
const NOT_OURS = new Set(['.git', 'node_modules', 'dist', 'data']);

function findRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json'))) {
    if (folder === dirname(folder)) throw new Error('no package.json above the tests');
    folder = dirname(folder);
  }
  return folder;
}

export const ROOT = findRoot();

export const readText = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

function pathsBelow(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return NOT_OURS.has(entry.name) ? [] : pathsBelow(path);
    return entry.isFile() ? [relative(ROOT, path).split(sep).join('/')] : [];
  });
}

/** The files below the folders whose names end in one of `extensions`, in order. */
export function filesIn(folders: readonly string[], extensions: readonly string[]): File[] {
  return folders
    .flatMap((folder) => pathsBelow(join(ROOT, folder)))
    .filter((path) => extensions.some((extension) => path.endsWith(extension)))
    .sort()
    .map((path) => ({ path, text: readText(path) }));
}

function knownToGit(): string[] | undefined {
  if (!existsSync(join(ROOT, '.git'))) return undefined;
  try {
    const list = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
    return execFileSync('git', list, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
      .split('\0')
      .filter(Boolean);
  } catch {
    return undefined; // git is absent, or the checkout belongs to somebody else
  }
}

/** Every text file that is committed or would be. */
export function committedTexts(): File[] {
  return (knownToGit() ?? pathsBelow(ROOT))
    .filter((path) => existsSync(join(ROOT, path)) && statSync(join(ROOT, path)).isFile())
    .filter((path) => statSync(join(ROOT, path)).size <= BYTES_MAX)
    .map((path) => ({ path, text: readText(path) }))
    .filter(({ text }) => !text.includes('\0'));
}
