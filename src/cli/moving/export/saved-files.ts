// Writes the attachments of exported records into a folder, each below its ID, so that it keeps its name.

import { createWriteStream } from 'node:fs';
import { mkdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import { CartularyError } from '../../../../client/src/errors.ts';
import type { RawOperations } from '../../../../client/src/operation-types.ts';
import type { ExportedFiles } from '../../../moving/export/run-export.ts';
import type { Patience } from '../../../moving/import/patience.ts';
import type { WireValue } from '../../../moving/values/cell-values.ts';
import { CommandFailure } from '../../failure.ts';
import { isFileProblem, writeProblem } from '../../output.ts';

const AT_ONCE = 4;
/** File systems take 255 bytes. */
const NAME_BYTES_MAX = 200;

export interface SavedFiles extends ExportedFiles {
  readonly count: number;
  /** IDs of those that the server does not have, or not yet. */
  readonly missing: readonly string[];
}

interface Place {
  readonly raw: RawOperations;
  readonly collectionId: string;
  readonly folder: string;
  /** The folder as the exported file names it. */
  readonly shownFolder: string;
  readonly patience: Patience;
}

export function savedFiles({ raw, collectionId, folder, shownFolder, patience }: Place): SavedFiles {
  const missing: string[] = [];
  let count = 0;
  const save = async (value: WireValue) => {
    const id = String(value.id);
    const path = join(folder, id, fileName(String(value.name)));
    const present = await stat(path).catch(() => undefined);
    try {
      // An earlier export into the same folder has it: the content of an attachment never changes.
      if (present?.size !== value.size) {
        await patience.withRetries(() => download(raw, { collectionId, attachmentId: id }, path));
      }
      count += 1;
    } catch (error) {
      if (!(error instanceof CartularyError && error.status === 404)) throw error;
      missing.push(id);
    }
  };
  return {
    missing,
    get count() {
      return count;
    },
    pathOf: ({ id, name }) => `${shownFolder}/${id}/${fileName(String(name))}`,
    async save(values) {
      const waiting = [...new Map(values.map((value) => [value.id, value])).values()];
      const work = async () => {
        for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) await save(next);
      };
      await Promise.all(Array.from({ length: AT_ONCE }, work));
    },
  };
}

async function download(
  raw: RawOperations,
  which: { readonly collectionId: string; readonly attachmentId: string },
  path: string,
): Promise<void> {
  const { body } = await raw.downloadAttachment(which);
  const unfinished = `${path}.part`;
  try {
    await mkdir(join(path, '..'), { recursive: true });
    if (body.body === null) return;
    await pipeline(Readable.fromWeb(body.body as ReadableStream), createWriteStream(unfinished));
    await rename(unfinished, path);
  } catch (error) {
    await rm(unfinished, { force: true });
    // What the connection did is for the caller to tell.
    if (!isFileProblem(error)) throw error;
    throw new CommandFailure(`Cannot write ${path}: ${writeProblem(error)}`, { cause: error });
  }
}

/** Without what would leave the folder or no file system takes. */
export function fileName(name: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is replaced
  const safe = name.replaceAll(/[/\\:\u0000-\u001f]/g, '_').replace(/^\.{1,2}$/, '_') || '_';
  if (Buffer.byteLength(safe) <= NAME_BYTES_MAX) return safe;
  const extension = /\.[\w-]{1,10}$/.exec(safe)?.[0] ?? '';
  let stem = safe.slice(0, -extension.length || undefined);
  while (Buffer.byteLength(stem) > NAME_BYTES_MAX - extension.length) stem = [...stem].slice(0, -1).join('');
  return stem + extension;
}
