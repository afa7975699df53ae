// Writes a reply to a file, which appears whole or not at all, or to standard output.

import { randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { link, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream as WebStream } from 'node:stream/web';
import { CommandFailure } from '../failure.ts';
import { isFileProblem, print, writeProblem } from '../output.ts';
import { withProgress } from './progress.ts';
import { replaceable } from './replaceable.ts';

export interface SaveOptions {
  /** `-` is standard output. */
  readonly output: string;
  readonly force?: boolean | undefined;
  readonly title: string;
}

export const chunksOf = (response: Response): AsyncIterable<Uint8Array> =>
  response.body === null ? Readable.from([]) : Readable.fromWeb(response.body as WebStream<Uint8Array>);

export const lengthOf = (response: Response): number | undefined =>
  response.headers.has('content-length') ? Number(response.headers.get('content-length')) : undefined;

export async function save(
  chunks: AsyncIterable<Uint8Array>,
  { output, force = false, title }: SaveOptions,
  total?: number,
): Promise<void> {
  if (output === '-') {
    for await (const chunk of chunks) await print(chunk);
    return;
  }
  if (!force) await refuseTaken(output);
  const target = await replaceable(output);
  const temporary = join(dirname(target), `.${basename(target)}.${randomBytes(6).toString('hex')}`);
  try {
    await pipeline(withProgress(chunks, title, total), createWriteStream(temporary, { flags: 'wx' }));
    if (force) await rename(temporary, target);
    else await link(temporary, target);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw taken(output);
    // What the connection did is for the caller to tell.
    if (!isFileProblem(error)) throw error;
    throw new CommandFailure(`Cannot write ${output}: ${writeProblem(error)}`, { cause: error });
  } finally {
    await rm(temporary, { force: true });
  }
}

/** Before the work that would end in replacing somebody's file. */
export async function refuseTaken(file: string): Promise<void> {
  if (await exists(file)) throw taken(file);
}

const exists = (file: string): Promise<boolean> =>
  stat(file).then(
    () => true,
    () => false,
  );

export const FORCE_OPTION = { flags: '--force', text: 'replace a file that exists' };

const taken = (file: string): CommandFailure =>
  new CommandFailure(`${file} exists already. Add --force to replace it, or give another name.`);

/** The name that the server gives a file, without anything that could lead to another folder. */
export function nameIn(response: Response, fallback: string): string {
  const header = response.headers.get('content-disposition') ?? '';
  const encoded = /filename\*=UTF-8''([^;]+)/i.exec(header)?.[1];
  const plain =
    /filename="((?:[^"\\]|\\.)*)"/i.exec(header)?.[1]?.replaceAll(/\\(.)/g, '$1') ??
    /filename=([^;"]+)/i.exec(header)?.[1];
  const given = encoded === undefined ? (plain ?? '') : decodeURIComponent(encoded);
  const name = basename(given.replaceAll('\\', '/'))
    .replaceAll(/\p{Cc}/gu, '')
    .trim();
  return name === '' || /^\.+$/.test(name) ? fallback : name;
}
