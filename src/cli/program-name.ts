// The command as its user has to type it, for messages that name the next one.

import { basename, join, relative } from 'node:path';

/** From a clone `node bin/cartulary.js`; `cartulary` where it is installed under that name, for all or in a folder. */
export function programName(): string {
  const [, file = ''] = process.argv;
  if (file.endsWith(join('node_modules', '.bin', 'cartulary'))) return 'npx cartulary';
  if (basename(file) !== 'cartulary.js') return 'cartulary';
  const path = relative(process.cwd(), file);
  return `node ${quoted(path.startsWith('..') ? file : path)}`;
}

/** A word of a shell command. */
export const quoted = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
