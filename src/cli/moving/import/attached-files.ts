// Uploads the files that cells name.

import { createReadStream, statSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, extname, isAbsolute, join, relative } from 'node:path';
import { Readable } from 'node:stream';
import { CartularyError } from '../../../../client/src/errors.ts';
import type { RawOperations } from '../../../../client/src/operation-types.ts';
import type { Patience } from '../../../moving/import/patience.ts';
import type { AttachedFiles } from '../../../moving/import/run-import.ts';
import { type RowProblem, shownCell } from '../../../moving/problems.ts';
import type { OpenValue } from '../../../moving/values/cell-values.ts';
import { isIdentifier } from '../../../wire/identifiers.ts';
import { contentTypeOf } from '../../files/content-types.ts';

interface Source {
  readonly raw: RawOperations;
  readonly collectionId: string;
  /** What paths in the file are relative to. No file outside of it is sent. */
  readonly folder: string;
  readonly journalId: string;
  readonly patience: Patience;
}

const filesIn = (open: readonly OpenValue[]) => open.filter(({ value }) => value.type === 'Attachment');

export function attachedFiles({ raw, collectionId, folder, journalId, patience }: Source): AttachedFiles {
  const visit = async (
    open: readonly OpenValue[],
    work: (one: OpenValue, path: string, at: number) => Promise<void>,
  ) => {
    const problems = new Map<OpenValue, RowProblem>();
    for (const [at, one] of filesIn(open).entries()) {
      if (isIdentifier('attachmentId', one.text)) one.value.id = one.text;
      else {
        const path = join(folder, one.text);
        const problem = await problemOf(folder, one.text, path);
        if (problem !== undefined) problems.set(one, problem);
        else await refusalOf(work(one, path, at), (text) => problems.set(one, { code: 'refused', params: { text } }));
      }
    }
    return problems;
  };
  return {
    check: (open) => visit(open, async () => undefined),
    upload: (open, row) =>
      visit(open, async ({ value }, path, at) => {
        const { body } = await patience.withRetries(() =>
          raw.uploadAttachment({
            collectionId,
            body: Readable.toWeb(createReadStream(path)) as ReadableStream<Uint8Array>,
            contentType: contentTypeOf(path) ?? 'application/octet-stream',
            contentDisposition: `attachment; filename*=UTF-8''${encodeName(basename(path))}`,
            idempotencyKey: `${journalId}-${row}-file-${at}`,
          }),
        );
        value.id = body.id;
      }),
  };
}

/** A file from elsewhere must not make the importer send what its user did not mean to. */
async function problemOf(folder: string, text: string, path: string): Promise<RowProblem | undefined> {
  const params = { cell: shownCell(text), text: folder };
  if (!isBelow(folder, text)) return { code: 'fileOutside', params };
  const found = await stat(path).catch(() => undefined);
  return found?.isFile() ? undefined : { code: 'fileMissing', params };
}

function isBelow(folder: string, text: string): boolean {
  const inside = relative(folder, join(folder, text));
  return !isAbsolute(text) && inside !== '' && !inside.startsWith('..');
}

/** Whether the text can only be meant as the path of a file that is there. */
export const namesFile = (folder: string, text: string): boolean =>
  extname(text) !== '' &&
  isBelow(folder, text) &&
  statSync(join(folder, text), { throwIfNoEntry: false })?.isFile() === true;

/** A file that the server refuses, such as one that is too large, is the fault of its row. */
async function refusalOf(work: Promise<void>, refused: (reason: string) => void): Promise<void> {
  try {
    await work;
  } catch (error) {
    const isRow = error instanceof CartularyError && error.status === 400;
    if (!isRow) throw error;
    refused((error.params as { readonly reason?: string }).reason ?? error.message);
  }
}

const encodeName = (name: string): string =>
  encodeURIComponent(name).replaceAll(/['()*!]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
