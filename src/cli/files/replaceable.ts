// What a finished file may take the place of. Files are written beside their name and renamed, and a rename would put
// a file in the place of a device or a pipe as well.

import { realpath, stat } from 'node:fs/promises';
import { CommandFailure } from '../failure.ts';

/** The path to rename to: a link stays, and what it leads to is replaced. */
export async function replaceable(path: string): Promise<string> {
  const target = await realpath(path).catch(() => path);
  const present = await stat(target).catch(() => undefined);
  if (present === undefined || present.isFile()) return target;
  const what = present.isDirectory() ? 'a folder' : 'a device or a pipe';
  throw new CommandFailure(`${path} is ${what} and is not replaced by a file. Give the name of a file.`);
}
